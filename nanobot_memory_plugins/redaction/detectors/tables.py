"""Secrets in tables, recognised by the column heading or by the cell before.

Cells are separated by |, tabs, commas, semicolons or several blanks. The lists of an INSERT statement are rows as well.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from nanobot_memory_plugins.redaction.detectors.rule_table import PERSONAL_CUES, may_identify_person, personal_value
from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, LowercaseText, is_near, words
from nanobot_memory_plugins.redaction.rules.rule import RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.redaction.values.key_names import NAME_CUES, Sensitivity, sensitivity
from nanobot_memory_plugins.redaction.values.value_shapes import is_placeholder, is_secret_value, is_surely_secret

TABLE_CUES = NAME_CUES | PERSONAL_CUES
CELL_MARKS = KeywordIndex(("|", "\t", ",", ";", "  "))
"""Every table with a secret contains a word of both lists."""
_LONGEST_LINE = 4000
_RULER = lazy_re(r"[\s|:+=-]*-[\s|:+=-]*")
_HEADING = lazy_re(r"(?!\d)[\w#][\w./()#-]*(?:[ ][\w./()#-]+){0,3}")
_TYPE = lazy_re(r"[A-Za-z]+\([0-9, ]+\)")  # varchar(128): a list of columns
_HARMLESS_VALUES = words(
    "yes no true false none null n/a na - -- set unset enabled disabled required optional ok x y n expired active"
    " never hidden default empty opaque <none> <set> <unset> present missing 是 否 无 有"
)
_NAME = lazy_re(r"[A-Za-z_$][A-Za-z0-9_.$-]{0,79}")
_PLAIN = lazy_re(r"[^\s\"'()\[\]{}<>]{4,500}")
_CELL_PADDING = " \t\r\n\"'`*\ue0f1\ue0f2\ue0f3"
# The cells of a line, by their separator, which may also occur in quotes.
_CELLS = {
    mark: lazy_re(rf"(?:\A|[{mark}])(?P<cell>[ ]*(?:\"[^\"]*\"|'[^']*')++[ ]*(?=[{mark}]|\Z)|[^{mark}]*)")
    for mark in "|\t,;"
} | {"  ": lazy_re(r"(?:\A[ ]*|[ ]{2,})(?P<cell>\S+(?:[ ]\S+)*)")}
_LIST = r"\((?:'[^']{0,999}+'|\([^()]{0,99}+\)|[^()']){1,999}+\)"
_INSERT = lazy_re(rf"(?i)into\s[^()\n]{{1,99}}{_LIST}\s{{0,9}}values\s{{0,9}}(?:{_LIST}[,\s]{{0,9}}){{1,999}}+")


class _Cell(NamedTuple):
    start: int
    text: str


def find_in_tables(text: str, lower: LowercaseText) -> Iterator[Span]:
    """Find secrets in the tables of the folded ``text``; ``lower`` is the same text in lower case."""
    head: Sequence[_Cell] = ()
    head_mark = ""
    cues = [at for at, _, _ in TABLE_CUES.find(lower)]
    for begin, line in _lines(text, lower):
        if not head and not is_near(cues, begin, begin + len(line)):
            continue  # most lines: no heading above them, and no cue in them
        mark = next((char for char in line if char in "|\t,;"), "  " if "  " in line.strip() else "")
        if _RULER.fullmatch(line):
            continue
        if not mark or len(line) > _LONGEST_LINE:
            head = ()
            continue
        cells = _cells(line, mark, begin)
        for name, value in pairwise(cells):
            if _is_secret_pair(name.text, value.text):
                yield _span(value)
            elif _HEADING.fullmatch(name.text) and (found := personal_value(name.text, value.text)):
                yield found._replace(start=value.start, end=value.start + len(value.text))
        if mark == head_mark and len(cells) == len(head):
            for column, cell in zip(head, cells, strict=True):
                if _is_secret(cell, column):
                    yield _span(cell)
                elif found := personal_value(column.text, cell.text):
                    yield found._replace(start=cell.start, end=cell.start + len(cell.text))
        else:
            head, head_mark = (cells if _is_head(cells) and (mark != "  " or line.isupper()) else ()), mark


def _lines(text: str, lower: LowercaseText) -> Iterator[tuple[int, str]]:
    """Yield the lines of ``text`` and the lists of its INSERT statements, each with its position."""
    at = 0
    for line in text.split("\n"):
        yield at, line
        at += len(line) + 1
    for statement in _INSERT.finditer(text) if "values" in lower else ():
        for row in re.finditer(_LIST, statement.group()):
            yield statement.start() + row.start() + 1, row.group()[1:-1]


def _cells(line: str, mark: str, begin: int) -> list[_Cell]:
    cells = []
    for match in _CELLS[mark].finditer(line):
        value = match["cell"].strip(_CELL_PADDING)
        cells.append(_Cell(begin + line.index(value, match.start("cell")), value))
    return cells[not cells[0].text : len(cells) - (not cells[-1].text)] if mark == "|" else cells


def _is_head(cells: Sequence[_Cell]) -> bool:
    return all(_HEADING.fullmatch(cell.text) and not _TYPE.fullmatch(cell.text) for cell in cells) and any(
        sensitivity(cell.text) >= Sensitivity.TOKEN or may_identify_person(cell.text) for cell in cells
    )


def _is_secret_pair(name: str, value: str) -> bool:
    """Return whether the cell after a name is secret: ``| API_KEY | 4f2a... |``, ``API_KEY,4f2a...``."""
    return bool(_NAME.fullmatch(name) and _PLAIN.fullmatch(value)) and is_surely_secret(value, sensitivity(name))


def _span(cell: _Cell) -> Span:
    return Span(cell.start, cell.start + len(cell.text), "keyed_value", REDACTED, RANK_KEYED)


def _is_secret(cell: _Cell, column: _Cell) -> bool:
    value, level = cell.text, sensitivity(column.text)
    if level < Sensitivity.TOKEN or value.lower() in _HARMLESS_VALUES or is_placeholder(value):
        return False
    if level is Sensitivity.TOKEN:
        return is_surely_secret(value, level)  # a column of tokens may contain words of a text
    return is_secret_value(value, level, key=column.text, quoted=True, running_text=False)
