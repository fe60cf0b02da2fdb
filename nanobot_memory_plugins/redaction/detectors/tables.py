"""Secrets in tables: Markdown, comma-separated values, SQL inserts. The heading says what a cell is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nanobot_memory_plugins.redaction.detectors.aligned_columns import HEADINGS, find_in_aligned_columns
from nanobot_memory_plugins.redaction.detectors.result_sets import find_in_result_sets
from nanobot_memory_plugins.redaction.detectors.table_cells import is_telling, is_told_below
from nanobot_memory_plugins.redaction.rules.effort import remembered
from nanobot_memory_plugins.redaction.rules.keyword_index import Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import LINE_START, RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.redaction.values.key_names import TELLING, Sensitivity, sensitivity
from nanobot_memory_plugins.redaction.values.value_shapes import is_secret_value, is_surely_secret

_Q = "\"'`\ue0f1-\ue0f9"
_NAME = r"[A-Za-z_$][A-Za-z0-9_.$-]{0,79}+"
_AROUND = " \"'`\r"
_CELLS = lazy_re(
    rf"\|[ \t]{{0,20}}[{_Q}*]{{0,3}}(?P<name>{_NAME})[{_Q}*]{{0,3}}[ \t]{{0,40}}(?=\|[ \t]{{0,20}}[{_Q}]?"
    rf"(?P<value>[^|\n{_Q}]{{4,500}}?)[{_Q}]?[ \t]{{0,40}}(?:\||\n|$))"
)
# A cell that is a name, and the next one its value: name,value and "API_KEY,4f2a..." below it.
_NAMED_CELL = lazy_re(
    r"(?m)(?:^|(?<=[,;\t]))[\"']?(?P<name>[A-Za-z_][A-Za-z0-9_.-]{3,79}+)[\"']?(?=[,;\t][\"']?"
    r"(?P<value>[^\s,;\"']{8,500})[\"']?(?:[,;\t]|\r?$))"
)
_COLUMNS = lazy_re(
    rf"(?m){LINE_START}[\"']?[A-Za-z_\u4e00-\u9fff][A-Za-z0-9_. \u4e00-\u9fff-]{{0,40}}[\"']?"
    r"(?:[,;\t][ ]?[\"']?[A-Za-z_\u4e00-\u9fff][A-Za-z0-9_. \u4e00-\u9fff-]{0,40}[\"']?){1,30}[ \t]*\r?$"
)
_RULE = lazy_re(r"[\s|:+=-]*")
_LONGEST_ROW = 4000
_TYPE = lazy_re(r"[a-z]{3,16}\([0-9]{1,5}(?:,[0-9]{1,3})?\)")
_HEADINGS = (
    ("密码", "password"),
    ("密碼", "password"),
    ("口令", "password"),
    ("密钥", "secret_key"),
    ("密鑰", "secret_key"),
    ("令牌", "access_token"),
)
# What stands in the text of every table whose columns or cells are told by a name.
_MAY_HEAD = TELLING | HEADINGS
_CARD_HEADINGS = frozenset({"card", "card_number", "card_no", "card_no.", "gift_card", "卡号", "卡號"})
_INSERT = lazy_re(
    r"(?i)insert\s{1,4}into\s{1,4}[^\s(]{1,80}\s{0,4}\((?P<names>[^()]{1,1000})\)\s{0,4}values\s{0,4}(?=\()"
)
_SQL_VALUE = lazy_re(r"'(?:[^'\n]|''){0,1000}+'|[^\s,'()][^,'()]{0,200}+(?:\([^()]{0,200}\))?")
_ROW = lazy_re(r"[\s,]{0,8}\((?P<cells>(?:'(?:[^'\n]|''){0,1000}+'|[^'()]|\([^()]{0,200}\)){1,4000}+)\)")


def find_in_tables(text: str, lower: Lowered) -> Iterator[Span]:
    """Find secrets in the tables of the folded ``text``; ``lower`` is the same in lower case."""
    if not _MAY_HEAD.meets(lower):
        return
    if "|" in text:
        yield from _find_rows(text)
        for match in _CELLS.finditer(text):
            is_type = _TYPE.fullmatch(match["value"].strip())
            if not is_type and is_surely_secret(match["value"], sensitivity(match["name"])):
                yield Span(*match.span("value"), "keyed_value", REDACTED, RANK_KEYED)
    if "\n" in text and ("," in text or ";" in text or "\t" in text):
        yield from _find_columns(text)
        for match in _NAMED_CELL.finditer(text):
            if is_surely_secret(match["value"], sensitivity(match["name"])):
                yield Span(*match.span("value"), "keyed_value", REDACTED, RANK_KEYED)
    if "insert" in lower:
        yield from _find_inserts(text)
    yield from find_in_aligned_columns(text, lower)
    yield from find_in_result_sets(text, lower)


def _find_rows(text: str) -> Iterator[Span]:
    """Find the cells under a sensitive heading in rows that bars divide, as Markdown and database clients draw them."""
    names: list[str] = []
    at = 0
    for line in text.split("\n"):
        begin, at = at, at + len(line) + 1
        if line.count("|") < 2 or len(line) > _LONGEST_ROW:
            names = names if _RULE.fullmatch(line) and line else []
            continue
        if _RULE.fullmatch(line):
            continue
        cells = line.split("|")
        if len(cells) == len(names):
            yield from _judge_cells(names, cells, begin)
        elif not names:
            names = _headings(cells)
            if not any(sensitivity(name) >= Sensitivity.TOKEN or is_telling(name) for name in names):
                names = []


def _headings(cells: Iterable[str]) -> list[str]:
    """Give the names of columns. A number beside its PIN is that of a card which is money, and a secret as it is."""
    names = [_heading(cell) for cell in cells]
    if any(sensitivity(name) in (Sensitivity.CODE, Sensitivity.PASSWORD) for name in names):
        return ["passcode" if name.lower() in _CARD_HEADINGS else name for name in names]
    return names


@remembered
def _heading(cell: str) -> str:
    """Give the name of a column; a Chinese one as its English word."""
    name = cell.strip(_AROUND + "*").replace(" ", "_")
    return next((english for word, english in _HEADINGS if word in name and len(name) <= 8), name)


def _find_columns(text: str) -> Iterator[Span]:
    """Find the cells under a sensitive heading in lines of comma-separated values."""
    done = 0
    for header in _COLUMNS.finditer(text):
        if header.start() < done:
            continue
        line = header.group()
        separator = next(char for char in line if char in ",;\t")
        names = _headings(line.split(separator))
        if not any(sensitivity(name) >= Sensitivity.TOKEN or is_telling(name) for name in names):
            continue
        at = header.end() + 1
        while at < len(text):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            cells = text[at:end].split(separator)
            if len(cells) != len(names):
                break
            yield from _judge_cells(names, cells, at)
            at = end + 1
        done = at


def _find_inserts(text: str) -> Iterator[Span]:
    """Find the values of sensitive columns that an SQL statement inserts."""
    for statement in _INSERT.finditer(text):
        names = [name.strip(_AROUND) for name in statement["names"].split(",")]
        if not any(sensitivity(name) >= Sensitivity.CODE or is_telling(name) for name in names):
            continue
        row = _ROW.match(text, statement.end())
        while row is not None:
            cells = [cell.group() for cell in _SQL_VALUE.finditer(row["cells"])]
            if len(cells) == len(names):
                places = [row.start("cells") + cell.start() for cell in _SQL_VALUE.finditer(row["cells"])]
                for name, cell, place in zip(names, cells, places, strict=True):
                    yield from _judge_cells([name], [cell], place)
            row = _ROW.match(text, row.end())


def _judge_cells(names: list[str], cells: list[str], at: int) -> Iterator[Span]:
    for name, cell in zip(names, cells, strict=True):
        level = sensitivity(name)
        value = cell.strip(_AROUND)
        if level is Sensitivity.TOKEN:
            is_secret = is_surely_secret(value, level)  # the tokens of a text are no secrets
        else:
            is_secret = level > Sensitivity.TOKEN and is_secret_value(
                value, level, key=name, quoted=True, running_text=False
            )
            is_secret = is_secret or (level < Sensitivity.TOKEN and is_telling(name) and is_told_below(value, name))
        if is_secret:
            start = at + cell.index(value)
            yield Span(start, start + len(value), "keyed_value", REDACTED, RANK_KEYED)
        at += len(cell) + 1
