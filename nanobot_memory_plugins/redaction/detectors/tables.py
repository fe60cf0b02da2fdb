"""Secrets in tables: Markdown, separated values, aligned columns, SQL. The heading says what a cell is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from nanobot_memory_plugins.redaction.detectors.codes import CODE_CUES, find_codes
from nanobot_memory_plugins.redaction.detectors.rows import PERSONAL
from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.values.checks import is_marked
from nanobot_memory_plugins.redaction.values.key_names import TELLING, Sensitivity, sensitivity
from nanobot_memory_plugins.redaction.values.value_shapes import is_placeholder, is_secret_value, is_surely_secret

_CUES = (
    TELLING
    | CODE_CUES
    | KeywordIndex(words("密码 口令 密钥 令牌 验证码 passport licen insurance account patient 护照 账 证 号"))
)
_LONGEST_LINE, _MOST_ROWS, _LONGEST_CELL = 4000, 2000, 40
_ALIGNED = lazy_re(r"[^\s|](?:[^\s|]|[ ](?=[^\s|]))*")
_RULER = lazy_re(r"[\s|:+=-]*-[\s|:+=-]*|[ \t]*={3,}[= \t]*")
_HEADING = lazy_re(r"[A-Za-z_#\u4e00-\u9fff][A-Za-z0-9_ ./()#\u4e00-\u9fff-]{0,39}")
_CAPITALS = lazy_re(r"[A-Z][A-Z0-9_-]*(?:[ ]+[A-Z][A-Z0-9_-]*){1,11}[ \t]*")
_CHINESE = {"密码": "password", "口令": "password", "密钥": "secret_key", "令牌": "access_token", "验证码": "otp_code"}
# A number beside its PIN is that of a card which is money, and a secret as it is.
_CARDS = words("card card_number card_no card_no. gift_card 卡号")
_AZURE_KEYS = words("primarykey secondarykey primaryconnectionstring secondaryconnectionstring")
_NAMES = words("name key variable setting option parameter secret config 名称 参数 变量 配置项")
_VALUES = words("value data content 值 内容")
_NOTHING_SECRET = words(
    "yes no true false none null n/a na - -- set unset enabled disabled required optional ok x y n expired active"
    " never hidden default empty opaque <none> <set> <unset> present missing 是 否 无 有"
)
_NAME = lazy_re(r"[A-Za-z_$][A-Za-z0-9_.$-]{0,79}")
_PLAIN = lazy_re(r"[^\s\"'()\[\]{}<>]{4,500}")
_TYPE = lazy_re(r"[a-z]{3,16}\([0-9]{1,5}(?:,[0-9]{1,3})?\)")
_INSERT = lazy_re(
    r"(?i)insert\s{1,4}into\s{1,4}[^\s(]{1,80}\s{0,4}\((?P<names>[^()]{1,1000})\)\s{0,4}values\s{0,4}(?=\()"
)
_SQL_ROW = lazy_re(r"[\s,]{0,8}\((?P<cells>(?:'(?:[^'\n]|''){0,1000}+'|[^'()]|\([^()]{0,200}\)){1,4000}+)\)")
_SQL_VALUE = lazy_re(r"'(?:[^'\n]|''){0,1000}+'|[^\s,'()][^,'()]{0,200}+(?:\([^()]{0,200}\))?")
_AROUND = " \t\r\"'`*\ue0f1\ue0f2\ue0f3"


class _Cell(NamedTuple):
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def find_in_tables(text: str, lower: Lowered) -> Iterator[Span]:
    """Find secrets in the tables of the folded ``text``; ``lower`` is the same in lower case."""
    if not _CUES.meets(lower):
        return
    if "\n" in text or "|" in text:
        yield from _find_in_lines(text)
    if "insert" in lower:
        yield from _find_inserts(text)


def _find_in_lines(text: str) -> Iterator[Span]:
    head: list[_Cell] = []
    before: list[_Cell] = []  # the cells of the line before, which a ruler would make a head
    head_mark = before_mark = ""
    is_sure = False  # a ruler or capitals say that it is a head, and no line of a list of options
    at = rows = 0
    for line in text.split("\n"):
        begin, at = at, at + len(line) + 1
        if not line.strip() or len(line) > _LONGEST_LINE or rows > _MOST_ROWS:
            head, before, rows = [], [], 0
        elif _RULER.fullmatch(line):
            if not head or rows:
                head, head_mark = (_named(before) if _is_head(before) else []), before_mark
            rows, is_sure = 0, True
        else:
            mark, cells = _cells(line, begin)
            if mark in ",;\t|":
                yield from _judge_neighbours(cells)
            if head and mark == head_mark and (len(cells) == len(head) or mark == "  "):
                rows += 1
                yield from _judge(head, cells, is_sure=is_sure)
            elif len(cells) > 1 and _is_head(cells):
                head, head_mark, rows = _named(cells), mark, 0
                is_sure = mark in ",;\t|" or all(cell.text[0].isupper() or not cell.text[0].isascii() for cell in cells)
            else:
                head = []
            before, before_mark = cells, mark


def _cells(line: str, begin: int) -> tuple[str, list[_Cell]]:
    """Give what divides a line into cells, and the cells."""
    mark = next((char for char in line if char in "|\t,;"), "  ")
    if mark == "  ":
        pattern = re.compile(r"\S+") if line.isupper() and _CAPITALS.fullmatch(line) else _ALIGNED
        return mark, [_Cell(begin + match.start(), match.group()) for match in pattern.finditer(line)]
    cells = []
    for part in line.split(mark):
        cells.append(_stripped(begin, part))
        begin += len(part) + 1
    if mark == "|":
        cells = cells[not cells[0].text : len(cells) - (not cells[-1].text)]
    return mark, cells


def _stripped(begin: int, part: str) -> _Cell:
    value = part.strip(_AROUND)
    return _Cell(begin + (part.index(value) if value else 0), value)


def _is_head(cells: Sequence[_Cell]) -> bool:
    return all(_HEADING.fullmatch(cell.text) and cell.text.count(" ") < 4 for cell in cells) and (
        any(_level(cell.text) >= Sensitivity.TOKEN or _is_telling(cell.text) for cell in cells) or bool(_setting(cells))
    )


def _named(cells: list[_Cell]) -> list[_Cell]:
    if any(_level(cell.text) in (Sensitivity.CODE, Sensitivity.PASSWORD) for cell in cells):
        cards = (cell.text.lower().replace(" ", "_") in _CARDS for cell in cells)
        return [cell._replace(text="passcode") if is_card else cell for cell, is_card in zip(cells, cards, strict=True)]
    return cells


def _setting(head: Sequence[_Cell]) -> tuple[int, int] | None:
    """Give the places of the columns of names and of values, where a table lists settings."""
    names = [cell.text.lower() for cell in head]
    name = next((place for place, one in enumerate(names) if one in _NAMES), None)
    value = next((place for place, one in enumerate(names) if one in _VALUES), None)
    return (name, value) if name is not None and value is not None else None


def _judge(head: list[_Cell], cells: list[_Cell], *, is_sure: bool) -> Iterator[Span]:
    if len(cells) != len(head) and len(cells) == 1 and " " in cells[0].text:
        # The widest values leave one blank: cut where the words are as many as the columns.
        start = cells[0].start
        parts = [_Cell(start + match.start(), match.group()) for match in re.finditer(r"\S+", cells[0].text)]
        cells = parts if len(parts) == len(head) else cells
    setting = _setting(head)
    if setting is not None and len(cells) == len(head):
        name, value = cells[setting[0]], cells[setting[1]]
        if is_marked(value.text) and " " not in value.text and _is_secret(value.text, name.text):
            yield _span(value)
    for index, column in enumerate(head):
        if len(cells) == len(head):
            found: _Cell | None = cells[index]
        else:  # some cell is empty: what stands below the head
            offset = head[0].start - cells[0].start if cells else 0
            found = next((one for one in cells if abs(one.start + offset - column.start) <= 2), None)
        if found is None or not _is_secret(found.text, column.text):
            continue
        if is_sure or _level(column.text) < Sensitivity.TOKEN or is_marked(found.text):
            yield _span(found)


def _judge_neighbours(cells: Sequence[_Cell]) -> Iterator[Span]:
    """Find a cell that a name stands in front of: ``| API_KEY | 4f2a... |``, ``API_KEY,4f2a...``."""
    for name, value in pairwise(cells):
        if not _NAME.fullmatch(name.text) or not _PLAIN.fullmatch(value.text):
            continue
        if not _TYPE.fullmatch(value.text) and is_surely_secret(value.text, sensitivity(name.text)):
            yield _span(value)


def _span(cell: _Cell) -> Span:
    return Span(cell.start, cell.end, "keyed_value", REDACTED, RANK_KEYED)


@lru_cache(maxsize=2048)
def _level(heading: str) -> Sensitivity:
    """Tell how sensitive the cells of a column are, by its head; a Chinese one counts as its English word."""
    name = heading.strip(" *_`\"'")
    if name.lower() in _AZURE_KEYS:
        return Sensitivity.COMPOUND
    for word, english in _CHINESE.items():
        if word in name and len(name) <= len(word) + 6:
            return sensitivity(english)
    return sensitivity(re.sub(r"[^A-Za-z0-9]+", "_", name)) if len(name) <= _LONGEST_CELL else Sensitivity.NONE


def _is_secret(value: str, heading: str) -> bool:
    level = _level(heading)
    if value.lower() in _NOTHING_SECRET or is_placeholder(value):
        return False
    if level < Sensitivity.TOKEN:
        return _is_telling(heading) and _is_told_below(value, heading)
    if level is Sensitivity.TOKEN:
        return is_surely_secret(value, level)  # the tokens of a text are no secrets
    return is_secret_value(value, level, key=heading, quoted=True, running_text=False)


@lru_cache(maxsize=2048)
def _is_telling(heading: str) -> bool:
    """Tell whether ``heading`` says that the numbers below it let somebody in, or name a person."""
    if not 2 <= len(heading) <= _LONGEST_CELL or heading.isdigit():
        return False
    return any(_is_told_below(probe, heading) for probe in ("AB1234567", "447193"))


def _is_told_below(cell: str, heading: str) -> bool:
    """Tell whether ``cell`` is such a number below ``heading``, as it would be behind it in a sentence."""
    if len(cell) > _LONGEST_CELL or not any(map(str.isdigit, cell)):
        return False
    label = heading.strip(" *_`\"'").replace("_", " ")
    text = f"{label}: {cell}"
    lower = Lowered(text)
    found: Iterable[Span] = (*find_codes(text, lower), *PERSONAL.find(text, lower))
    return any(span.start <= len(label) + 3 and span.end >= len(text) - 1 for span in found)


def _find_inserts(text: str) -> Iterator[Span]:
    """Find the values of sensitive columns that an SQL statement inserts."""
    for statement in _INSERT.finditer(text):
        names = [name.strip(_AROUND) for name in statement["names"].split(",")]
        row = _SQL_ROW.match(text, statement.end())
        while row is not None:
            cells = [_stripped(cell.start(), cell.group()) for cell in _SQL_VALUE.finditer(text, *row.span("cells"))]
            if len(cells) == len(names):
                for name, cell in zip(names, cells, strict=True):
                    if _level(name) >= Sensitivity.CODE and _is_secret(cell.text, name):
                        yield _span(cell)
            row = _SQL_ROW.match(text, row.end())
