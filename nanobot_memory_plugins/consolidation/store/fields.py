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
from nanobot_memory_plugins.consolidation.model.tags import split_tags
from nanobot_memory_plugins.core import Origin, Scope
from nanobot_memory_plugins.core.text.markdown import LINE_BREAKS, clean_markdown

LINE = re.compile(r"[ \t]*<!--[ \t]+((?:[a-z_]+: [^<>\r\n]*)|(?:[a-z_]+:))[ \t]*-->[ \t]*")
_UNSAFE = re.compile(f"[%;<>\x00-\x1f\x7f{LINE_BREAKS}]|(?<=-)-|^[\\s-]|[\\s-]$")
_ESCAPED = re.compile(r"((?:%[0-9a-f]{2})+)", re.IGNORECASE)
_NAME = re.compile(r"[a-z_]+")
_COMMAS = re.compile(r"[,\s]+")
_NOBODYS = Scope()
_SCORE = "score"
_DECAYED = "decayed"
_FROM = "from"
_SECTION = "section"
_ORIGIN = "origin"
_KIND, _PINNED, _YES = "kind", "pinned", "yes"
_IMPORTANCE, _IMPORTANCES = "importance", ("high", "medium", "low")
_SCOPE = ("agent", "user", "channel", "session", "group_chat", "project")
_SECTIONS = {section.value: section for section in Section}
_ORIGINS = {origin.value: origin for origin in Origin}


def shown_score(score: float) -> str:
    """Return a score as the header shows it."""
    return f"{score:.2f}"


def shown_date(time: datetime) -> str:
    """Return a time as the header shows it: its day in UTC."""
    return f"{_utc(time):%Y-%m-%d}".rjust(10, "0")


def write_fields(entry: Entry) -> str:
    """Return the line of an entry's fields, or the empty string when none is set."""
    # Fields of a newer version win over what was made of them here.
    known = {**dict(_pairs(entry)), **dict(entry.extra)} if entry.extra else dict(_pairs(entry))
    pairs = "; ".join(f"{name}: {_quoted(value)}" for name, value in known.items() if value)
    return f"<!-- {pairs} -->" if pairs else ""


@lru_cache(maxsize=16)  # a line is looked at twice: for the end of its entry, and for the entry
def split_fields(line: str) -> Mapping[str, str] | None:
    """Return the pairs of a line, or None when it is no line of fields."""
    match = LINE.fullmatch(line)
    if match is None:
        return None
    found: dict[str, str] = {}
    for part in match[1].split(";"):
        name, colon, value = part.strip().partition(":")
        if not colon or not _NAME.fullmatch(name):
            return None
        value = value.strip()
        found.setdefault(name, _unquoted(value) if "%" in value else value)
    return found


class Header(NamedTuple):
    """What the header of an entry says."""

    id: str
    category: str
    score: float
    day: datetime
    hits: int


def with_fields(header: Header, content: str, fields: Mapping[str, str]) -> tuple[Entry, list[str]]:
    """Return the entry of a header, a text and the fields of its line, and the names of those that cannot be read.

    The header has the last word: a day or a score that somebody changed there is taken, and what the line says of it
    is dropped.
    """
    rest = dict(fields)
    bad: list[str] = []
    take = rest.pop

    def time(name: str) -> datetime | None:
        text = take(name, "")
        found = _read_time(text) if text else None
        if text and found is None:
            bad.append(name)
        return found

    created, activated, expires, ended = time("created"), time("activated"), time("expires"), time("ended")
    if activated is None or activated.date() != header.day.date():
        activated = header.day
    anchor, decayed_days, anchor_days = _score(header.score, rest, bad)
    importance = take(_IMPORTANCE, "")
    source, group, origin, supersedes, superseded_by = (
        take(name, "") for name in ("source", "group", _ORIGIN, "supersedes", "superseded_by")
    )
    kept_in = take(_SECTION, "")
    kind, pinned = take(_KIND, ""), take(_PINNED, "")
    tags = take("tags", "")
    quote, quoted, records = take("quote", ""), take("quoted", ""), take("records", "")
    scope = Scope(*(take(name, "") for name in _SCOPE)) if rest else _NOBODYS
    # What only a newer version knows is kept as it stands; nobody is believed for it.
    rest |= {_ORIGIN: origin} if origin and origin.lower() not in _ORIGINS else {}
    rest |= {_KIND: kind} if kind not in ("", INSTRUCTION) else {}
    rest |= {_IMPORTANCE: importance} if importance not in ("", *_IMPORTANCES) else {}
    rest |= {_PINNED: pinned} if pinned not in ("", _YES) else {}
    rest |= {_SECTION: kept_in} if kept_in and kept_in not in _SECTIONS else {}
    read = Entry(
        header.id,
        content,
        header.category,
        anchor,
        activated,
        header.hits,
        created,
        source,
        expires,
        group,
        tuple(filter(None, _COMMAS.split(supersedes))) if supersedes else (),
        superseded_by,
        _ORIGINS.get(origin.lower(), Origin.TOOL) if origin else Origin.USER,
        scope,
        anchor_days,
        decayed_days,
        _SECTIONS.get(kept_in) if kept_in else None,
        tuple(rest.items()),
        INSTRUCTION if kind == INSTRUCTION else "",
        pinned == _YES,
        importance if importance in _IMPORTANCES else "",
        ended,
        split_tags(tags) if tags else (),
        quote,
        quoted_on.date() if quoted and (quoted_on := _read_time(quoted)) else None,
        tuple(records.split()),
    )
    if shown_score(read.score) != shown_score(header.score):
        read = replace(read, anchor=header.score, anchor_days=read.decayed_days)
    return read, bad


def _pairs(entry: Entry) -> Iterator[tuple[str, str]]:
    yield "created", _time(entry.created_at)
    last = _utc(entry.last_activated)
    yield "activated", "" if last == last.replace(hour=0, minute=0, second=0, microsecond=0) else _time(last)
    if entry.decayed_days or entry.anchor_days or entry.anchor != float(shown_score(entry.anchor)):
        yield _SCORE, repr(entry.anchor)
        yield _DECAYED, str(entry.decayed_days or "")
        yield _FROM, str(entry.anchor_days or "")
    yield "source", entry.source_session
    yield _IMPORTANCE, entry.importance
    yield "group", entry.group
    yield "tags", ", ".join(entry.tags)
    yield _ORIGIN, "" if entry.origin is Origin.USER else entry.origin.value
    yield "expires", _time(entry.expires_at)
    yield "supersedes", " ".join(entry.supersedes)
    yield "superseded_by", entry.superseded_by
    yield "ended", _time(entry.ended_at) if entry.superseded_by else ""
    yield "agent", entry.scope.agent
    yield "user", entry.scope.user
    yield "channel", entry.scope.channel
    yield "session", entry.scope.session
    yield "group_chat", entry.scope.group_chat
    yield "project", entry.scope.project
    yield _KIND, entry.kind
    yield _PINNED, _YES if entry.pinned else ""
    yield "quote", entry.quote
    yield "records", " ".join(entry.records)
    yield "quoted", entry.quoted_on.isoformat() if entry.quoted_on else ""
    yield _SECTION, entry.kept_in.value if entry.kept_in else ""


def _score(shown: float, rest: dict[str, str], bad: list[str]) -> tuple[float, int, int]:
    """Return anchor, decayed and anchor days; where nothing exact is known, the header's score."""
    if not rest:
        return shown, 0, 0
    exact, days, start = (rest.pop(name, "") for name in (_SCORE, _DECAYED, _FROM))
    if not (exact or days or start):
        return shown, 0, 0
    try:
        anchor, decayed_days, anchor_days = plain_score(float(exact or shown)), _days(days), _days(start)
    except ValueError:
        bad.append(_SCORE)
        return shown, 0, 0
    return anchor, decayed_days, anchor_days


def _days(text: str) -> int:
    number = int(text or 0)
    if not 0 <= number <= 10_000_000:
        raise ValueError(text[:10])
    return number


def _time(time: datetime | None) -> str:
    return _utc(time).isoformat() if time is not None else ""


def _utc(time: datetime) -> datetime:
    if time.tzinfo is UTC:
        return time
    try:
        return time.astimezone(UTC)
    except OverflowError:  # the ends of the calendar
        return time.replace(tzinfo=UTC)


def plain_time(text: str) -> datetime:
    """Return a time that is written in UTC. Raises `ValueError`."""
    return _utc(datetime.fromisoformat(text))


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
