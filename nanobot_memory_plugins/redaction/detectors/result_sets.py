"""Secrets in what databases answer as JSON: the names of the columns once, then the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nanobot_memory_plugins.redaction.detectors.aligned_columns import HEADINGS, is_secret_cell, is_secret_head
from nanobot_memory_plugins.redaction.rules.keyword_index import Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import RANK_KEYED, REDACTED, Span

_Q = "[\"'\ue0f1-\ue0f6]"
_NOT_Q = "[^\"'\ue0f1-\ue0f6\\n\\[\\]]"
_COLUMN_NAMES = ("columns", "column_names", "columnNames", "fields", "headers", "header", "cols", "schema", "keys")
_ROW_NAMES = ("rows", "data", "values", "records", "results", "result", "items")
_COLUMNS = lazy_re(rf"{_Q}(?:{'|'.join(_COLUMN_NAMES)}){_Q}\s{{0,8}}:\s{{0,8}}\[(?P<names>[^\[\]]{{2,2000}})\]")
_ROWS = lazy_re(rf"{_Q}(?:{'|'.join(_ROW_NAMES)}){_Q}\s{{0,8}}:\s{{0,8}}\[(?=\s{{0,40}}\[)")
_ROW = lazy_re(r"[\s,]{0,60}\[(?P<cells>[^\[\]]{1,8000})\]")
_ITEM = lazy_re(rf"{_Q}(?P<text>{_NOT_Q}{{0,2000}}){_Q}|(?P<bare>[^\s,\[\]{{}}\"'\ue0f1-\ue0f6]{{1,200}})")
_NAME_FIELD = lazy_re(rf"{_Q}(?:name|column|field|label){_Q}\s{{0,4}}:\s{{0,4}}{_Q}(?P<text>{_NOT_Q}{{0,100}}){_Q}")
_NAME = lazy_re(r"[A-Za-z_\u4e00-\u9fff][A-Za-z0-9_ .-]{0,39}")
_LIST_OF_LISTS = lazy_re(rf"\[\s{{0,40}}\[(?P<names>\s{{0,40}}{_Q}[^\[\]]{{2,2000}})\]\s{{0,40}},(?=\s{{0,40}}\[)")


def find_in_result_sets(text: str, lower: Lowered) -> Iterator[Span]:
    """Find the cells below telling columns in the folded ``text``; ``lower`` is the same in lower case."""
    if "[" not in text or not HEADINGS.meets(lower):
        return
    names: list[str] = []
    columns = next((found for match in _COLUMNS.finditer(text) if is_telling(found := _names(match["names"]))), None)
    if columns is not None:
        names = columns
        for start in _ROWS.finditer(text):
            yield from _judge_rows(text, start.end(), names)
    for match in _LIST_OF_LISTS.finditer(text) if columns is None else ():
        if is_telling(found := _names(match["names"])) and are_names(found):
            yield from _judge_rows(text, match.end(), found)


def is_telling(names: Sequence[str]) -> bool:
    """Tell whether one of a table's columns holds secrets."""
    return len(names) > 0 and any(map(is_secret_head, names))


def are_names(cells: Sequence[str]) -> bool:
    """Tell whether the first row of a table can be its head: every cell is a name."""
    return all(_NAME.fullmatch(cell) for cell in cells)


def secret_places(value: Mapping[Any, Any]) -> tuple[str, list[str]] | None:
    """Give of an answer with columns and rows the name of the rows and those of the columns, if one is telling."""
    named = next((value[name] for name in _COLUMN_NAMES if isinstance(value.get(name), (list, tuple))), None)
    rows = next(
        (name for name in _ROW_NAMES if isinstance(value.get(name), (list, tuple)) and _are_rows(value[name])), None
    )
    if named is None or rows is None:
        return None
    names = [_name_of(one) for one in named]
    return (rows, names) if is_telling(names) else None


def _are_rows(rows: Sequence[Any]) -> bool:
    return bool(rows) and all(isinstance(row, (list, tuple)) for row in rows)


def _name_of(column: object) -> str:
    if isinstance(column, Mapping):
        column = next((column[key] for key in ("name", "column", "field", "label") if key in column), "")
    return str(column)


def _names(inner: str) -> list[str]:
    if "{" in inner:
        return [match["text"] for match in _NAME_FIELD.finditer(inner)]
    return [match["text"] or match["bare"] or "" for match in _ITEM.finditer(inner)]


def _judge_rows(text: str, at: int, names: Sequence[str]) -> Iterator[Span]:
    row = _ROW.match(text, at)
    while row is not None:
        cells = list(_ITEM.finditer(text, *row.span("cells")))
        if len(cells) == len(names):
            for name, cell in zip(names, cells, strict=True):
                group = "text" if cell["text"] is not None else "bare"
                if is_secret_cell(cell[group], name):
                    yield Span(*cell.span(group), "keyed_value", REDACTED, RANK_KEYED)
        row = _ROW.match(text, row.end())
