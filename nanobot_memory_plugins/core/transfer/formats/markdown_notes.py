"""A Markdown text of somebody's as notes: one a section."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from pathlib import Path

from nanobot_memory_plugins.core.files import NoteEntry, parse_notes
from nanobot_memory_plugins.core.text.dates import date_terms
from nanobot_memory_plugins.core.transfer.formats.encodings import NoTextError, decoded
from nanobot_memory_plugins.core.transfer.formats.reading import changed
from nanobot_memory_plugins.core.transfer.formats.shown_text import is_template, shown_text
from nanobot_memory_plugins.core.transfer.formats.vault import EMPTY, inline_tags, page_of
from nanobot_memory_plugins.core.transfer.importer import ImportedNote, Item, Remark, Skipped
from nanobot_memory_plugins.core.values import Note, Origin
from nanobot_memory_plugins.redaction.script.chinese_script import simplified
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Characters of the one line that stands for a section.
_LONGEST_TLDR = 160
_NOON = time(12)
_DATE = re.compile(r"(?<!\d)(\d{4})-?(\d{2})-?(\d{2})(?!\d)(?:[ T](\d{1,2}):(\d{2})(?!\d))?")
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_DAY_FIRST = re.compile(r"(?<![\d.])(\d{1,2})\.[ ]?(\d{1,2})\.[ ]?(\d{4})(?!\.?\d)")
_TIME_OF_DAY = re.compile(r"(\d{1,2}):(\d{2})(?!\d)")
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S.*?)[ \t\r]*$", re.MULTILINE)
_BULLET = re.compile(r"^(?:[-*+>]|\d+[.)])[ \t]+")
_WORD = re.compile(r"\w")


@dataclass(slots=True)
class _Place:
    """Where in a file we are: the headings above, and the day that they or the file name.

    ``page`` is what stands before every title of a vault's file: its folders, its own title and its aliases.
    """

    file: str
    stem: str
    day: datetime
    certain: bool
    page: str = ""
    headings: list[tuple[int, str]] = field(default_factory=list)


def markdown_items(
    path: Path,
    name: str,
    *,
    origin: Origin,
    tags: tuple[str, ...] = (),
    is_vault: bool = False,
    encoding: str = "",
) -> Iterator[Item]:
    """Yield the notes of a Markdown file; ``name`` is what the report calls it.

    The day is the one in a heading, else in the file's name, else in its front matter, else that of the last change.
    Notes in our own form keep what they say, except that none becomes the user's word unless ``origin`` is. Of a file
    in a vault the notes keep its folders, title, aliases and tags, those in the text included. ``encoding`` is that of
    a file that is no UTF-8; it is guessed where none is named.
    """
    try:
        data, when = path.read_bytes(), changed(path)
    except OSError as error:
        yield Skipped(Sentence("it cannot be read: {why}", why=error.strerror), name)
        return
    try:
        text, read_as = decoded(data, encoding)
    except NoTextError as error:
        yield Skipped(Sentence("it is damaged: {why}", why=error), name)
        return
    if read_as:
        yield Remark(Sentence("read as {encoding}", encoding=read_as), name)
    page = page_of(text)
    fields = page.fields
    named = _day_of_name(name) or _dated(fields.get("date", "") or fields.get("created", ""), None)
    place = _Place(name, fields.get("title") or path.stem, named or when, named is not None)
    if is_vault:
        file_name = () if place.stem.casefold() == path.stem.casefold() else (path.stem,)
        place.page = _page_title(name, place.stem, tuple(dict.fromkeys((*file_name, *page.aliases))))
        tags = (*tags, *page.tags)
    body = text[page.body :]
    numbers: list[int] | None = None
    if is_vault:
        if why := _is_no_note(body, fields):
            yield Skipped(why, name)
            return
        body, numbers = shown_text(body)
    is_empty = True
    lines = text.count("\n", 0, page.body)
    for part in parse_notes(body, line=lines + 1):
        if numbers is not None:
            part = replace(part, line=lines + 1 + numbers[part.line - lines - 1])
        if isinstance(part, NoteEntry):
            is_empty = False
            yield _own_note(part, place, origin)
            continue
        own = (*tags, *inline_tags(part.text)) if is_vault else tags
        if (item := _section(part.text, part.line, place, origin, tuple(dict.fromkeys(own)))) is not None:
            is_empty = False
            yield item
    if is_empty and is_vault:
        told = " / ".join(_HEADING.findall(body)) or fields.get("title", "")
        yield _title_alone(told, place, origin, tuple(dict.fromkeys(tags))) if told else Skipped(EMPTY, name)


def _is_no_note(body: str, fields: Mapping[str, str]) -> str:
    """Return why a page of a vault is no note, or nothing."""
    if "excalidraw-plugin" in fields:
        return Sentence("it is a drawing")
    return Sentence("it is a template") if is_template(body) else ""


def _page_title(name: str, title: str, aliases: tuple[str, ...]) -> str:
    folder = name.rpartition("/")[0]
    known = f" ({', '.join(aliases)})" if aliases else ""
    return f"{folder}/{title}{known}" if folder else f"{title}{known}"


def _title_alone(told: str, place: _Place, origin: Origin, tags: tuple[str, ...]) -> ImportedNote:
    """Return the note of a page that has titles and nothing below them: "call the plumber.md" may say it all."""
    note = Note(tldr=_shortened(told), title=place.page, tags=tags, origin=origin, time=place.day)
    return ImportedNote(note, place.file, 1, time_is_certain=place.certain)


def _own_note(entry: NoteEntry, place: _Place, origin: Origin) -> ImportedNote:
    whose = origin if entry.origin in (Origin.USER, Origin.ASSISTANT) else entry.origin
    note = Note(
        tldr=entry.tldr or entry.title,
        details=entry.details,
        type=entry.type,
        tags=entry.tags,
        title=entry.title,
        origin=whose,
        time=entry.time,
        searchable=entry.searchable,
    )
    return ImportedNote(note, place.file, entry.line)


def _section(text: str, line: int, place: _Place, origin: Origin, tags: tuple[str, ...]) -> ImportedNote | None:
    first, _, rest = text.partition("\n")
    level = len(first) - len(first.lstrip("#")) if re.match(r"#{1,3}(\s|$)", first) else 0
    heading = first.lstrip("#").strip() if level else ""
    if level:
        place.headings = [one for one in place.headings if one[0] < level]
        if heading:
            place.headings.append((level, heading))
    body = (rest if level else text).strip()
    if not body:
        return None  # a heading above others says nothing by itself, and stands in their titles
    when, certain = place.day, place.certain
    for _, above in place.headings:
        if (dated := _dated(above, when)) is not None:
            when, certain = dated, True
    title = " / ".join(above for _, above in place.headings) or place.stem
    if place.page:
        own = [above for _, above in place.headings if above != place.stem]
        title = f"{place.page}: {' / '.join(own)}" if own else place.page
    elif place.headings and not _dated(title, None):
        title = title if title.startswith(place.stem) else f"{place.stem}: {title}"
    lines = [line.strip() for line in body.splitlines() if line.strip()]
    tldr = _BULLET.sub("", next(filter(_WORD.search, lines), lines[0]))  # not a rule, nor an open front matter's
    whole = "\n" not in body and len(tldr) <= 2 * _LONGEST_TLDR
    return ImportedNote(
        Note(
            tldr=tldr if whole else _shortened(tldr),
            details="" if whole else body,
            title=title,
            tags=tags,
            origin=origin,
            time=when,
        ),
        place.file,
        line,
        time_is_certain=certain,
    )


def _shortened(line: str) -> str:
    return line if len(line) <= _LONGEST_TLDR else f"{line[: _LONGEST_TLDR - 1].rstrip()}…"


def _day_of_name(name: str) -> datetime | None:
    """Return the day that a file's name tells, or its folders with it: ``2026_09_06.md``, ``2026/09/06.md``."""
    whole = unicodedata.normalize("NFKC", name.rpartition(".")[0] or name).replace("_", "-")
    return _dated(whole.rpartition("/")[2], None) or _dated(whole, None)


def _day_in_words(text: str) -> date | None:
    """Return the first whole day of a text in another form than ISO's: "Sep 6th, 2026", 2026年9月6日, 6.9.2026."""
    whole = [term for term in date_terms(simplified(text)) if _ISO_DAY.fullmatch(term)]
    whole += [f"{year}-{month:0>2}-{day:0>2}" for day, month, year in _DAY_FIRST.findall(text)]
    with suppress(ValueError):
        return date.fromisoformat(whole[0]) if whole else None
    return None


def _dated(text: str, day: datetime | None) -> datetime | None:
    """Return the day, and the time where there is one, that stands in a text; a time alone is one of ``day``."""
    if (match := _DATE.search(text)) is not None:
        try:
            clock = time(int(match[4]), int(match[5])) if match[4] else _NOON
            return datetime.combine(datetime(int(match[1]), int(match[2]), int(match[3])), clock)
        except ValueError:
            return None
    if (told := _day_in_words(text)) is not None:
        return datetime.combine(told, _NOON)
    if day is not None and day.tzinfo is None and (clocked := _TIME_OF_DAY.match(text)) is not None:
        try:
            return datetime.combine(day.date(), time(int(clocked[1]), int(clocked[2])))
        except ValueError:
            return None
    return None
