"""Secrets in columns that blanks set apart, as kubectl, mysql, docker and az print them, and in tables of HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from nanobot_memory_plugins.redaction.detectors.table_cells import TELLING_CUES, is_telling, is_told_below
from nanobot_memory_plugins.redaction.rules.effort import remembered
from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.values.key_names import Sensitivity, sensitivity
from nanobot_memory_plugins.redaction.values.value_shapes import (
    has_password_marks,
    is_placeholder,
    is_secret_value,
    is_surely_secret,
    looks_random,
)

HEADINGS = TELLING_CUES | KeywordIndex(
    words(
        "pass pwd pw secret token key pin otp code cvv cvc credential psk"
        " primarykey 密码 密碼 口令 密钥 密鑰 令牌 验证码 驗證碼"
    )
)
"""Words of which one stands in every table that holds secrets."""
_LONGEST_LINE = 2000
_MOST_ROWS = 2000
_CELL = lazy_re(r"[^\s|](?:[^\s|]|[ ](?=[^\s|]))*")
_RULER = lazy_re(r"[\s+=|-]*-{3}[\s+=|-]*|[ \t]*={3,}[= \t]*")
# How many rows there were, below a table.
_FOOTER = lazy_re(r"[ \t]*\(?[0-9]{1,9}[ ]rows?(?:[ )][^|\n]{0,60})?|Empty set.{0,40}")
# Above the secrets themselves, as vault prints them: every random value below is one.
_SECRET_DATA = lazy_re(r"[ \t]*=+[ ](?:Secret[ ])?Data[ ]=+[ \t]*")
_CAPITALS = lazy_re(r"(?m)^[A-Z][A-Z0-9_-]*+(?:[ ][A-Z][A-Z0-9_-]*+)+[ \t]*$")
_HEADING = lazy_re(r"[A-Za-z_#\u4e00-\u9fff][A-Za-z0-9_ ./()#\u4e00-\u9fff-]{0,39}")
_CHINESE = (
    ("zugangscode", "pin"),
    ("türcode", "pin"),
    ("mot de passe", "password"),
    ("contraseña", "password"),
    ("пароль", "password"),
    ("密码", "password"),
    ("密碼", "password"),
    ("口令", "password"),
    ("密钥", "secret_key"),
    ("密鑰", "secret_key"),
    ("令牌", "access_token"),
    ("验证码", "verification_code"),
    ("驗證碼", "verification_code"),
)
# What stands in such a column without being a secret.
_NOTHING_SECRET = words(
    "yes no true false none null n/a na - -- set unset enabled disabled required optional ok x y n expired"
    " active never"
    " hidden default empty string text varchar bool boolean int opaque <none> <set> <unset> <redacted> present"
    " missing 是 否 无 有"
)
# What az calls the two keys of an account.
_AZURE_KEYS = words("primarykey secondarykey primaryconnectionstring secondaryconnectionstring")
_NAMES = words("name key variable setting option parameter secret config 名称 名字 参数 变量 配置项 键")
_VALUES = words("value wert valeur valor data content 值 内容")
_TAG = lazy_re(r"<(?P<tag>tr|th|td|dt|dd)(?:[ ][^<>]{0,200})?>", re.IGNORECASE)
_INNER = lazy_re(r"\s*(?:<(?:b|i|code|strong|em|span|p|tt|kbd)(?:[ ][^<>]{0,120})?>\s*){0,3}(?P<text>[^<>]{0,400})")


class _Cell(NamedTuple):
    start: int
    end: int
    text: str


def find_in_aligned_columns(text: str, lower: Lowered) -> Iterator[Span]:
    """Find the secrets below telling heads in the folded ``text``; ``lower`` is the same in lower case."""
    if not HEADINGS.meets(lower):
        return
    if "\n" in text and ("  " in text or "\t" in text or "|" in text or "---" in text or _CAPITALS.search(text)):
        yield from _find_in_lines(text)
    if "<t" in lower or "<d" in lower:
        yield from _find_in_html(text)


@remembered
def column_sensitivity(heading: str) -> Sensitivity:
    """Tell how sensitive the cells of a column are, by its head; a Chinese one counts as its English word."""
    name = heading.strip(" *_`\"'")
    if name.lower() in _AZURE_KEYS:
        return Sensitivity.COMPOUND
    for word, english in _CHINESE:
        if word in name.lower() and len(name) <= len(word) + 6:
            return sensitivity(english)
    return sensitivity(re.sub(r"[^A-Za-z0-9]+", "_", name)) if len(name) <= 40 else Sensitivity.NONE


def is_secret_head(heading: str) -> bool:
    """Tell whether secrets may stand below ``heading``."""
    return column_sensitivity(heading) >= Sensitivity.TOKEN or is_telling(heading)


def is_secret_cell(value: str, heading: str) -> bool:
    """Tell whether ``value`` is a secret below ``heading``."""
    level = column_sensitivity(heading)
    if value.lower() in _NOTHING_SECRET or is_placeholder(value):
        return False
    if level < Sensitivity.TOKEN:
        return is_telling(heading) and is_told_below(value, heading)
    if level is Sensitivity.TOKEN:
        return is_surely_secret(value, level)
    return is_secret_value(value, level, key=heading, quoted=True, running_text=False)


def _find_in_lines(text: str) -> Iterator[Span]:
    head: list[_Cell] = []
    is_sure = False  # a ruler or capitals say that it is a head, and no line of a list of options
    rows = 0
    at = 0
    before: list[_Cell] = []  # the cells of the line before, which a ruler would make a head
    is_data = False
    for line in text.split("\n"):
        begin, at = at, at + len(line) + 1
        if not line.strip() or len(line) > _LONGEST_LINE or rows > _MOST_ROWS:
            head, before, rows, is_data = [], [], 0, False
            continue
        if _FOOTER.fullmatch(line):
            head, before = [], []
            continue
        if _SECRET_DATA.fullmatch(line):
            is_data = True
            continue
        if _RULER.fullmatch(line):
            if before and _is_head(before):
                head, rows, is_sure = before, 0, True
            elif head and rows == 0:
                is_sure = True
            continue
        cells = [_Cell(match.start(), match.end(), match.group()) for match in _CELL.finditer(line)]
        if head:
            rows += 1
            yield from _judge(head, cells, begin, is_sure=is_sure, is_data=is_data)
            continue
        if len(cells) >= 2 and "|" not in line and _is_head(cells):
            head, rows, is_sure = cells, 0, all(cell.text[0].isupper() or not cell.text[0].isascii() for cell in cells)
        elif (words_apart := _capitals(line)) and _is_head(words_apart):
            head, rows, is_sure = words_apart, 0, False
        before = cells


def _capitals(line: str) -> list[_Cell]:
    """Give the cells of a head in capitals whose cells single blanks set apart: ``USER PASSWORD HOST``."""
    if not line.isupper():
        return []
    parts = [_Cell(match.start(), match.end(), match.group()) for match in re.finditer(r"\S+", line)]
    return (
        parts if 2 <= len(parts) <= 12 and all(re.fullmatch(r"[A-Z][A-Z0-9_-]*", part.text) for part in parts) else []
    )


def _is_head(cells: list[_Cell]) -> bool:
    return all(_HEADING.fullmatch(cell.text) and cell.text.count(" ") < 4 for cell in cells) and (
        any(is_secret_head(cell.text) for cell in cells) or _value_column(cells) is not None
    )


def _value_column(head: list[_Cell]) -> tuple[int, int] | None:
    """Give the places of the columns of names and of values, where a table lists settings."""
    names = [cell.text.lower() for cell in head]
    name = next((place for place, one in enumerate(names) if one in _NAMES), None)
    value = next((place for place, one in enumerate(names) if one in _VALUES), None)
    return (name, value) if name is not None and value is not None else None


def _judge(head: list[_Cell], cells: list[_Cell], begin: int, *, is_sure: bool, is_data: bool) -> Iterator[Span]:
    if len(cells) != len(head) and len(cells) == 1 and " " in cells[0].text:
        # The widest values leave one blank: cut where the words are as many as the columns.
        parts = [
            _Cell(cells[0].start + match.start(), cells[0].start + match.end(), match.group())
            for match in re.finditer(r"\S+", cells[0].text)
        ]
        cells = parts if len(parts) == len(head) else cells
    setting = _value_column(head)
    if setting is not None and len(cells) == len(head):
        name, value = cells[setting[0]], cells[setting[1]]
        marked = has_password_marks(value.text) or looks_random(value.text, allow_hex=True)
        is_random = is_data and looks_random(value.text, allow_hex=True)
        if marked and " " not in value.text and (is_random or is_secret_cell(value.text, name.text)):
            yield Span(begin + value.start, begin + value.end, "keyed_value", REDACTED, RANK_KEYED)
    for index, column in enumerate(head):
        if not is_secret_head(column.text):
            continue
        is_number = column_sensitivity(column.text) < Sensitivity.TOKEN
        if len(cells) == len(head):
            found: _Cell | None = cells[index]
        else:  # some cell is empty: what stands below the head
            found = next((cell for cell in cells if cell.start <= column.end and column.start < cell.end), None)
            if found is not None and abs(found.start - column.start) > 2 and abs(found.end - column.end) > 2:
                found = None
        if found is None or (" " in found.text and not is_number) or not is_secret_cell(found.text, column.text):
            continue
        if is_sure or is_number or has_password_marks(found.text) or looks_random(found.text, allow_hex=True):
            yield Span(begin + found.start, begin + found.end, "keyed_value", REDACTED, RANK_KEYED)


def _find_in_html(text: str) -> Iterator[Span]:
    head: list[str] = []
    row: list[_Cell] = []
    kinds: list[str] = []

    def end_of_row() -> Iterator[Span]:
        nonlocal head
        if kinds and all(kind == "th" for kind in kinds):
            head = [cell.text for cell in row]
            return
        named = [(one.text, other) for one, other, kind in zip(row, row[1:], kinds, strict=False) if kind == "th"]
        if (
            not head
            and not named
            and any(column_sensitivity(cell.text) >= Sensitivity.PASSWORD or is_telling(cell.text) for cell in row)
        ):
            if len(row) == 2 and is_secret_head(row[0].text):
                named = [(row[0].text, row[1])]
            else:
                head = [cell.text for cell in row]
                return
        below = list(zip(head, row, strict=False)) if len(head) == len(row) else []
        for heading, cell in named or below:
            if is_secret_cell(cell.text, heading):
                yield Span(cell.start, cell.end, "keyed_value", REDACTED, RANK_KEYED)

    for match in _TAG.finditer(text):
        tag = {"dt": "th", "dd": "td"}.get(match["tag"].lower(), match["tag"].lower())
        if tag == "tr":
            yield from end_of_row()
            row, kinds = [], []
            continue
        inner = _INNER.match(text, match.end())
        if inner is not None:
            value = inner["text"].strip()
            start = inner.start("text") + (inner["text"].index(value) if value else 0)
            row.append(_Cell(start, start + len(value), value))
            kinds.append(tag)
    yield from end_of_row()
