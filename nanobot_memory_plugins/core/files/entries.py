"""The form of a structured note in a Markdown file: writing it.

::

    ### 2026-02-16 14:20 optional title
    type: decision
    tags: cloudflare, sqlite
    tl;dr: one line
    id: 019c6534-7ae0-7b1e-9d3f-2a5c8e41d6b7
    time: 2026-02-16T14:20:33.120+08:00
    origin: tool
    session: cli:direct
    searchable: false

    details:
    - anything, of any length
    <blank line>

The fields end at the first blank line, and no value holds a line break, so details cannot forge a field. A
line of the details that would be a heading of level 1 to 3 is written with a backslash before it, so
details cannot forge an entry or a section either. The heading's time is local, for people; ``time`` is the
exact instant. ``searchable`` stands only in notes that no search finds.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from nanobot_memory_plugins.core.text.markdown import LINE_BREAKS, PIECE, clean_markdown, one_line
from nanobot_memory_plugins.core.values import Note, NoteType, Origin, Scope

Choice = TypeVar("Choice", NoteType, Origin)

# What separates tags; people type the full-width forms too.
TAG_SEPARATORS = re.compile(r"[,，、]")

# Up to three spaces may stand before a Markdown heading. Already escaped ones are escaped again.
_HEADING = re.compile(rf"(\A|[{LINE_BREAKS}])(\ufeff? {{0,3}})(\\*#{{1,3}}(?=\s|\Z))")
_ESCAPED = re.compile(rf"(\A|[{LINE_BREAKS}])(\ufeff? {{0,3}})\\(\\*#{{1,3}}(?=\s|\Z))")


@dataclass(frozen=True, slots=True)
class NoteEntry:
    """One structured entry as it stands in a file.

    ``offset`` is the byte at which its heading line starts, ``length`` its bytes up to the next heading or
    the end, ``line`` the heading's line.
    """

    id: str
    time: datetime
    type: NoteType
    tags: tuple[str, ...]
    tldr: str
    details: str
    title: str
    origin: Origin
    scope: Scope
    offset: int
    length: int
    line: int
    searchable: bool = True


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of Markdown that is no structured entry: somebody's own text.

    It starts at the beginning of what was read or at a heading of level 1 to 3, whose text is ``heading``.
    ``offset``, ``length`` (both in bytes) and ``line`` say where it stands.
    """

    text: str
    offset: int
    length: int
    line: int
    heading: str


def render_note(note: Note, *, id: str, time: datetime, scope: Scope) -> str:  # noqa: A002
    """Return the entry for ``note``, from its heading line to the blank line that ends it.

    The heading shows ``time`` as it is, so pass local time; a naive one counts as the machine's local time.
    ``note.scope`` and ``note.time`` are not looked at. Parsing gives back what was passed, with line
    breaks in one-line fields as spaces, separators in tags as spaces, and NUL and lone surrogates as U+FFFD.
    """
    when = time if time.tzinfo is not None else _local(time)
    title = one_line(note.title)
    fields = {
        "type": choice(NoteType, note.type, NoteType.NOTE),
        "tags": ", ".join(filter(None, (one_line(TAG_SEPARATORS.sub(" ", one_line(t))) for t in note.tags))),
        "tl;dr": one_line(note.tldr),
        "id": one_line(id),
        "time": exact_time(when),
        "origin": choice(Origin, note.origin, Origin.ASSISTANT),
        "session": one_line(scope.session),
        "channel": one_line(scope.channel),
        "user": one_line(scope.user),
        "agent": one_line(scope.agent),
        "group_chat": one_line(scope.group_chat),
        "project": one_line(scope.project),
        "searchable": "" if note.searchable else "false",
    }
    heading = f"### {when.replace(tzinfo=None).isoformat(sep=' ', timespec='minutes')} {title}".rstrip()
    lines = [
        heading,
        *(f"{name}: {value}".rstrip() for name, value in fields.items() if value or name == "tl;dr"),
    ]
    details = clean_markdown(note.details)
    if details:
        lines += ["", "details:", "".join(_escaped(details))]
    return "\n".join(lines) + "\n\n"


def unescape_details(text: str) -> str:
    """Undo what `render_note` does to headings in details."""
    return _ESCAPED.sub(r"\1\2\3", text)


def _escaped(details: str) -> Iterator[str]:
    """Yield the details with their headings escaped, some lines at a time."""
    start = 0
    while start < len(details):
        end = details.find("\n", start + PIECE) + 1 or len(details)
        yield _HEADING.sub(r"\1\2\\\3", details[start:end])
        start = end


def exact_time(time: datetime) -> str:
    """Return an aware time in ISO 8601 with its offset, in milliseconds, or microseconds where it has any."""
    return time.isoformat(timespec="microseconds" if time.microsecond % 1000 else "milliseconds")


def read_time(text: str) -> datetime | None:
    """Return the time in ``text`` (ISO 8601), or None. Without an offset it is the machine's local time."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo is not None else _local(time)


def choice(kind: type[Choice], value: str, default: Choice) -> Choice:
    """Return the member of ``kind`` that ``value`` names, or ``default``."""
    try:
        return kind(str(value).strip().lower())
    except ValueError:
        return default


def origin_of(value: str, default: Origin) -> Origin:
    """Return the origin that ``value`` names; ``default`` where it names none.

    What only a newer version knows is taken for a tool's: an older one must not believe more.
    """
    return choice(Origin, value, Origin.TOOL) if value.strip() else default


def _local(time: datetime) -> datetime:
    try:
        return time.astimezone()
    except (OverflowError, OSError, ValueError):  # the ends of the calendar
        return time.replace(tzinfo=UTC)
