"""Reads labelled data for measuring recall: ``docs.jsonl`` and ``queries.jsonl``.

Only an id is required. A missing or null field counts as empty, and unknown fields are ignored.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from nanobot_memory_plugins.core.clock import time_of
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.redaction.script.messages import Sentence

DOCUMENTS, QUERIES = "docs.jsonl", "queries.jsonl"
_HINT = 'Each line is one JSON object, for example {"id": "1", "group": "a", "session": "s", "text": "..."}.'
# Dates that are not ISO 8601: 2023/05/20 (Sat) 02:21, 2023.5.20, 2023年5月20日.
_DATE = re.compile(r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\d)")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s*([ap])\.?m)?", re.IGNORECASE)


def moment(value: object) -> datetime | None:
    """Return a timezone-aware time, or None when ``value`` is not a readable one.

    A text is ISO 8601, or has year, month and day in this order; a number is seconds since 1970. A time without a zone
    is UTC, so that the result is the same on every machine.
    """
    found = time_of(value)
    if found is None and isinstance(value, str):
        with suppress(ValueError):
            found = _day_and_time(value)
    return found.replace(tzinfo=UTC) if found is not None and found.tzinfo is None else found


def _day_and_time(text: str) -> datetime | None:
    date = _DATE.search(text)
    if date is None:
        return None
    day = datetime(*map(int, date.groups()))  # type: ignore[arg-type]  # three numbers
    clock = _CLOCK.search(text, date.end())
    if clock is None:
        return day
    hour, minute, second = (int(part or 0) for part in clock.groups()[:3])
    if clock[4]:
        hour = hour % 12 + (12 if clock[4].lower() == "p" else 0)
    return day.replace(hour=hour, minute=minute, second=second)


def _text(value: object) -> object:
    """Return null as an empty text and a number as its digits. Lone surrogates are replaced."""
    if value is None:
        return ""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


_Text = Annotated[str, BeforeValidator(_text)]
_Id = Annotated[str, BeforeValidator(_text), Field(min_length=1)]
_Time = Annotated[datetime | None, BeforeValidator(moment)]


class _Record(BaseModel):
    """The fields that documents and queries share."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: _Id
    group: _Text = ""
    text: _Text = ""
    ts: _Time = None


class EvalDocument(_Record):
    """One document, as a message or a note. ``order`` is its position in the session, by default that in the file."""

    session: _Text = ""
    order: Annotated[float | None, Field(allow_inf_nan=False)] = None
    role: _Text = "user"
    speaker: _Text = ""


class EvalQuery(_Record):
    """One question about the documents of its group. ``ts`` is the time of the question."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """The documents and questions of one folder, in file order."""

    documents: tuple[EvalDocument, ...]
    queries: tuple[EvalQuery, ...]


_Kind = TypeVar("_Kind", EvalDocument, EvalQuery)


def read_dataset(folder: Path) -> Dataset:
    """Read a data set. Raises `InputError` with file, line, cause and hint when it cannot be used."""
    return Dataset(
        documents=tuple(_records(folder / DOCUMENTS, EvalDocument)),
        queries=tuple(_records(folder / QUERIES, EvalQuery)),
    )


def _records(path: Path, kind: type[_Kind]) -> Iterator[_Kind]:
    lines_by_id: dict[str, int] = {}
    for number, row in _rows(path):
        try:
            record = kind.model_validate(row)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            name = ".".join(map(str, first["loc"])) or "the line"
            raise _line_error(path, number, Sentence("{name}: {first}", name=name, first=first["msg"])) from None
        if record.id in lines_by_id:
            first_line = lines_by_id[record.id]
            cause = Sentence("the id {id!r} is also on line {seen}", id=record.id, seen=first_line)
            raise _line_error(path, number, cause)
        lines_by_id[record.id] = number
        yield record


def _rows(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield the number, from 1, and the JSON object of each line that is not blank."""
    try:
        lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError as error:
        raise InputError(
            Sentence("{path} cannot be read: {why}.", path=path, why=error.strerror or type(error).__name__),
            hint=Sentence(
                "A data set is a folder with {documents} and {queries}.", documents=DOCUMENTS, queries=QUERIES
            ),
        ) from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line.decode("utf-8"))
        except UnicodeDecodeError:
            raise _line_error(path, number, Sentence("this is not UTF-8")) from None
        except (ValueError, RecursionError) as error:
            raise _line_error(path, number, Sentence("this is not JSON ({error})", error=error)) from None
        if not isinstance(row, dict):
            raise _line_error(path, number, Sentence("this is no JSON object"))
        yield number, row


def _line_error(path: Path, number: int, cause: Sentence) -> InputError:
    return InputError(Sentence("{path}, line {number}: {cause}.", path=path, number=number, cause=cause), hint=_HINT)
