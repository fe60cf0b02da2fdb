"""The text form of one entry, in the file, in the state database and between machines.

::

    ### [a1b2c3] preference | 0.92 | 2026-02-20 | 12
    text, up to the next blank line or heading
    <!-- created: 2026-02-18T09:12:00+00:00; source: cli:direct; group: work/clients -->

The comment holds the fields that are set and have no place in the header. A value cannot end the comment or begin
another field: ``%``, ``;``, ``<``, ``>``, line breaks and the second of two hyphens are written as ``%`` and
hexadecimal digits. A line of the text that Markdown or this format would interpret is written with a backslash before
it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime, time
from functools import lru_cache
from typing import Any

from nanobot_memory_plugins.consolidation.model.scoring import Importance
from nanobot_memory_plugins.core import Origin, Scope
from nanobot_memory_plugins.core.files.entry_lines import text_and_fields
from nanobot_memory_plugins.core.files.fields import origin_of
from nanobot_memory_plugins.core.text.markdown import LINE_BREAKS, clean, clean_markdown, one_line
from nanobot_memory_plugins.core.values.entries import INSTRUCTION, Entry, bounded_score
from nanobot_memory_plugins.redaction.script.messages import Sentence

_HEADER = re.compile(r" {0,3}###[ \t]+\[([^\]\s|｜]{1,64})\](.*)")
_SPECIAL = re.compile(r"\\*+(?:#|<!--|`{3}|~{3})")
_UNSAFE = re.compile(f"[%;<>\x00-\x1f\x7f{LINE_BREAKS}]|(?<=-)-|^[\\s-]|[\\s-]$")
_CACHED = 8_192
_MOST_HITS, _MOST_DAYS = 10**9, 10**7
_SCOPE = ("agent", "user", "channel", "session", "group_chat", "project")
_DEFAULTS = {field.name: field.default for field in fields(Entry)}


def shown_score(score: float) -> str:
    """Return a score as the header shows it."""
    return f"{score:.2f}"


def shown_date(time: datetime) -> str:
    """Return a time as the header shows it: its day in UTC."""
    return f"{_utc(time):%Y-%m-%d}".rjust(10, "0")


def write_entry(entry: Entry, newline: str = "\n") -> str:
    """Return the lines of an entry, each with its line break."""
    category = " ".join(one_line(entry.category).translate({ord("|"): " ", ord("｜"): " "}).split()) or "fact"
    header = f"{category} | {shown_score(entry.score)} | {shown_date(entry.last_activated)} | {entry.hits}"
    fields_set = _comment_fields(entry)
    comment = "; ".join(f"{name}: {_escape(value)}" for name, value in fields_set.items())
    text = [one_line(line) for line in entry.content.split("\n")]
    lines = [f"\\{line}" if _SPECIAL.match(line) else line for line in text if line] or ["-"]
    lines = [f"### [{entry.id}] {header}", *lines, *([f"<!-- {comment} -->"] if fields_set else [])]
    return newline.join([*lines, ""])


@lru_cache(maxsize=_CACHED)  # most entries are unchanged when the file is read again
def read_entry(lines: str) -> tuple[Entry, tuple[str, ...]] | Sentence:
    """Return the entry in ``lines`` and messages about its problems; or why there is no entry.

    The header wins: a day or a score that somebody changed there replaces the comment's. Unknown and unreadable fields
    are preserved.
    """
    header, _, rest = clean(lines).partition("\n")
    match = _HEADER.fullmatch(header.rstrip())
    parts = [part.strip() for part in match[2].replace("｜", "|").split("|")] if match is not None else []
    if match is None or len(parts) not in (3, 4) or not parts[0]:
        return Sentence("its header does not have the form: [id] category | score | day | hits")
    try:
        score = float(parts[1].replace(",", "."))
        day = datetime.fromisoformat(parts[2].replace("/", "-")).replace(tzinfo=UTC)
        hits = _read_count(parts[3], _MOST_HITS) if len(parts) == 4 else 0
    except ValueError:
        score = float("nan")
    if score != score:
        return Sentence("the score, the day or the hits of its header cannot be read")
    text, comment = text_and_fields(rest)
    if not text:
        return Sentence("it has no text")
    problems = () if 0 <= score <= 1 else (Sentence("its score is outside 0 to 1 and counts as the nearest of them"),)
    content = "\n".join(map(_without_backslash, text.split("\n")))
    entry = Entry(match[1], content, parts[0], bounded_score(score), day, hits)
    entry, unreadable = _with_fields(entry, comment)
    return entry, (*problems, *(Sentence("its {name} cannot be read", name=name) for name in unreadable))


def _without_backslash(line: str) -> str:
    line = line.strip()
    return line[1:] if line.startswith("\\") and _SPECIAL.match(line, 1) else line


def _read_time(text: str) -> datetime:
    """Return the time in ``text``, in UTC; a time without an offset is UTC, like the header's day."""
    time = datetime.fromisoformat(text)
    return _utc(time if time.tzinfo is not None else time.replace(tzinfo=UTC))


def _utc(time: datetime) -> datetime:
    try:
        return time.astimezone(UTC)
    except OverflowError:  # the ends of the calendar
        return time.replace(tzinfo=UTC)


def _read_count(text: str, most: int) -> int:
    number = int(text or 0)
    if not 0 <= number <= most:
        raise ValueError(text[:10])
    return number


def _read_ids(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def _read_kind(text: str) -> str:
    if text != INSTRUCTION:
        raise ValueError(text)
    return text


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of the comment: the attribute of `Entry`, and its conversions. ``read`` may raise `ValueError`."""

    attribute: str
    read: Callable[[str], Any] = str
    write: Callable[[Any], str] = str


_TIME: Any = (_read_time, lambda time: _utc(time).isoformat())
_DAYS: Any = (lambda text: _read_count(text, _MOST_DAYS), str)
_LIST: Any = (_read_ids, " ".join)
_FIELDS = {
    "created": _Field("created_at", *_TIME),
    "activated": _Field("last_activated", *_TIME),
    "score": _Field("anchor", lambda text: bounded_score(float(text)), repr),
    "decayed": _Field("decayed_days", *_DAYS),
    "from": _Field("anchor_days", *_DAYS),
    "source": _Field("source_session"),
    "importance": _Field("importance", lambda text: Importance(text).value),
    "group": _Field("group"),
    "origin": _Field("origin", lambda text: origin_of(text, Origin.USER), lambda origin: origin.value),
    "expires": _Field("expires_at", *_TIME),
    "supersedes": _Field("supersedes", *_LIST),
    "superseded_by": _Field("superseded_by"),
    "ended": _Field("ended_at", *_TIME),
    "kind": _Field("kind", _read_kind),
    "pinned": _Field("pinned", lambda text: text == "yes", lambda _: "yes"),
    "quote": _Field("quote"),
    "records": _Field("records", *_LIST),
    "hides": _Field("hides", *_LIST),
    "quoted": _Field("quoted_on", lambda text: _read_time(text).date(), date.isoformat),
}


def _comment_fields(entry: Entry) -> dict[str, str]:
    """Return the fields of the comment by name: those that are set and that the header does not contain."""
    in_header = set()
    if _utc(entry.last_activated).time() == time.min:
        in_header.add("activated")
    if not (entry.decayed_days or entry.anchor_days) and entry.anchor == float(shown_score(entry.anchor)):
        in_header.add("score")
    if not entry.superseded_by:
        in_header.add("ended")
    fields_set = {
        name: field.write(value)
        for name, field in _FIELDS.items()
        if name not in in_header and (value := getattr(entry, field.attribute)) != _DEFAULTS[field.attribute]
    }
    fields_set |= {name: scope_value for name in _SCOPE if (scope_value := getattr(entry.scope, name))}
    return {**fields_set, **{name: value for name, value in entry.extra if name not in fields_set}}


def _with_fields(entry: Entry, comment: dict[str, str]) -> tuple[Entry, list[str]]:
    """Return the entry of a header with the fields of its comment, and the names of the unreadable fields."""
    values: dict[str, Any] = {}
    rest: dict[str, str] = {}
    unreadable = []
    for name, text in comment.items():
        field = _FIELDS.get(name)
        try:
            if field is not None and text:
                values[field.attribute] = field.read(text)
        except ValueError:
            unreadable.append(name)
            field = None
        if field is None and name not in _SCOPE and text:
            rest[name] = text
    used = values.get("last_activated")
    if used is not None and used.date() != entry.last_activated.date():
        del values["last_activated"]
    scope = Scope(**{name: comment[name] for name in _SCOPE if name in comment})
    read = replace(entry, **values, scope=scope, extra=tuple(rest.items()))
    if shown_score(read.score) != shown_score(entry.score):
        read = replace(read, anchor=entry.score, anchor_days=read.decayed_days)
    return read, unreadable


def _escape(value: str) -> str:
    return _UNSAFE.sub(lambda match: "".join(f"%{byte:02x}" for byte in match[0].encode()), clean_markdown(value))
