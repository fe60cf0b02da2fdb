"""The line below an entry's text: a comment of ``name: value`` pairs, for what the header has no place for.

::

    <!-- created: 2026-02-18T09:12:00+00:00; source: cli:direct; group: work/clients; origin: user -->

Only what is set stands there. A value cannot end the comment or begin a pair: ``%``, ``;``, ``<``, ``>``, line breaks
and the second of two hyphens are written as ``%`` and hexadecimal digits.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from nanobot_memory_plugins.consolidation.model.entry import INSTRUCTION, Entry, Section, plain_score
from nanobot_memory_plugins.core import Origin, Scope
from nanobot_memory_plugins.core.text.markdown import LINE_BREAKS, clean_markdown

_LINE = re.compile(r"[ \t]*<!--[ \t]+((?:[a-z_]+: [^<>\r\n]*)|(?:[a-z_]+:))[ \t]*-->[ \t]*")
_UNSAFE = re.compile(f"[%;<>\x00-\x1f\x7f{LINE_BREAKS}]|(?<=-)-|^[\\s-]|[\\s-]$")
_ESCAPED = re.compile(r"((?:%[0-9a-f]{2})+)", re.IGNORECASE)
_NAME = re.compile(r"[a-z_]+")
_COMMAS = re.compile(r"[,\s]+")
_SCOPE = ("agent", "user", "channel", "session", "group_chat", "project")
_IMPORTANCES = ("high", "medium", "low")
_SECTIONS = {section.value: section for section in Section}
_ORIGINS = {origin.value: origin for origin in Origin}


class Header(NamedTuple):
    """What the header of an entry says."""

    id: str
    category: str
    score: float
    day: datetime
    hits: int


def shown_score(score: float) -> str:
    """Return a score as the header shows it."""
    return f"{score:.2f}"


def shown_date(time: datetime) -> str:
    """Return a time as the header shows it: its day in UTC."""
    return f"{_utc(time):%Y-%m-%d}".rjust(10, "0")


def write_fields(entry: Entry) -> str:
    """Return the line of an entry's fields, or the empty string when none is set."""
    known = {**dict(_pairs(entry)), **dict(entry.extra)}
    pairs = "; ".join(f"{name}: {_quoted(value)}" for name, value in known.items() if value)
    return f"<!-- {pairs} -->" if pairs else ""


@lru_cache(maxsize=16)  # a line is looked at twice: for the end of its entry, and for the entry
def split_fields(line: str) -> Mapping[str, str] | None:
    """Return the pairs of a line, or None when it is no line of fields."""
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    found: dict[str, str] = {}
    for part in match[1].split(";"):
        name, colon, value = part.strip().partition(":")
        if not colon or not _NAME.fullmatch(name):
            return None
        found.setdefault(name, _unquoted(value.strip()))
    return found


def with_fields(header: Header, content: str, fields: Mapping[str, str]) -> tuple[Entry, list[str]]:
    """Return the entry of a header, a text and the fields of its line, and the names of those that cannot be read.

    The header has the last word: a day or a score that somebody changed there is taken, and what the line says of it
    is dropped. Names that are not known are kept as they stand.
    """
    rest, bad = dict(fields), []

    def take(name: str) -> str:
        return rest.pop(name, "")

    def time(name: str) -> datetime | None:
        text = take(name)
        found = _read_time(text) if text else None
        if text and found is None:
            bad.append(name)
        return found

    activated, quoted_on = time("activated"), time("quoted")
    same_day = activated is not None and activated.date() == header.day.date()
    origin, importance, anchor = take("origin").lower(), take("importance"), take("score")
    decayed, start = take("decayed"), take("from")
    try:
        exact = plain_score(float(anchor or header.score)), _days(start), _days(decayed)
    except ValueError:
        bad.append("score")
        exact = header.score, 0, 0
    read = Entry(
        id=header.id,
        content=content,
        category=header.category,
        anchor=exact[0],
        anchor_days=exact[1],
        decayed_days=exact[2],
        last_activated=activated if activated is not None and same_day else header.day,
        hits=header.hits,
        created_at=time("created"),
        source_session=take("source"),
        expires_at=time("expires"),
        ended_at=time("ended"),
        group=take("group"),
        supersedes=tuple(filter(None, _COMMAS.split(take("supersedes")))),
        superseded_by=take("superseded_by"),
        origin=_ORIGINS.get(origin, Origin.TOOL) if origin else Origin.USER,
        scope=Scope(*(take(name) for name in _SCOPE)),
        kept_in=_SECTIONS.get(take("section")),
        kind=INSTRUCTION if take("kind") == INSTRUCTION else "",
        pinned=take("pinned") == "yes",
        importance=importance if importance in _IMPORTANCES else "",
        quote=take("quote"),
        quoted_on=quoted_on.date() if quoted_on else None,
        records=tuple(take("records").split()),
        hides=tuple(take("hides").split()),
        extra=tuple(rest.items()),
    )
    if shown_score(read.score) != shown_score(header.score):
        read = replace(read, anchor=header.score, anchor_days=read.decayed_days)
    return read, bad


def _pairs(entry: Entry) -> Iterator[tuple[str, str]]:
    yield "created", _time(entry.created_at)
    last = _utc(entry.last_activated)
    yield "activated", "" if last == last.replace(hour=0, minute=0, second=0, microsecond=0) else _time(last)
    if entry.decayed_days or entry.anchor_days or entry.anchor != float(shown_score(entry.anchor)):
        yield "score", repr(entry.anchor)
        yield "decayed", str(entry.decayed_days or "")
        yield "from", str(entry.anchor_days or "")
    yield "source", entry.source_session
    yield "importance", entry.importance
    yield "group", entry.group
    yield "origin", "" if entry.origin is Origin.USER else entry.origin.value
    yield "expires", _time(entry.expires_at)
    yield "supersedes", " ".join(entry.supersedes)
    yield "superseded_by", entry.superseded_by
    yield "ended", _time(entry.ended_at) if entry.superseded_by else ""
    for name in _SCOPE:
        yield name, getattr(entry.scope, name)
    yield "kind", entry.kind
    yield "pinned", "yes" if entry.pinned else ""
    yield "quote", entry.quote
    yield "records", " ".join(entry.records)
    yield "hides", " ".join(entry.hides)
    yield "quoted", entry.quoted_on.isoformat() if entry.quoted_on else ""
    yield "section", entry.kept_in.value if entry.kept_in else ""


def _days(text: str) -> int:
    number = int(text or 0)
    if not 0 <= number <= 10_000_000:
        raise ValueError(text[:10])
    return number


def _time(time: datetime | None) -> str:
    return _utc(time).isoformat() if time is not None else ""


def _utc(time: datetime) -> datetime:
    try:
        return time.astimezone(UTC)
    except OverflowError:  # the ends of the calendar
        return time.replace(tzinfo=UTC)


def _read_time(text: str) -> datetime | None:
    """Return the time in ``text``; without an offset it is UTC, as the header's day is."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return _utc(time if time.tzinfo is not None else time.replace(tzinfo=UTC))


def _quoted(value: str) -> str:
    return _UNSAFE.sub(lambda match: "".join(f"%{byte:02x}" for byte in match[0].encode()), clean_markdown(value))


def _unquoted(value: str) -> str:
    return _ESCAPED.sub(lambda match: bytes.fromhex(match[1].replace("%", "")).decode("utf-8", "replace"), value)
