"""Importing Markdown files: each section becomes a note, dated by its heading, file name or front matter."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.files.notes import parse_notes
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import describe_damage
from nanobot_memory_plugins.core.text.private import without_private
from nanobot_memory_plugins.core.transfer.archive import MANIFEST
from nanobot_memory_plugins.core.transfer.importer import ImportedNote, Item, Skipped
from nanobot_memory_plugins.core.transfer.reading import MAX_BYTES, files_below, tldr_of
from nanobot_memory_plugins.core.values import Note, Origin
from nanobot_memory_plugins.redaction.script.messages import Sentence

_SUFFIXES = (".md", ".markdown")
_DATE = re.compile(
    r"(?<!\d)(\d{4})(?:-?(\d{2})-?(\d{2})|[-./年](\d{1,2})[-./月](\d{1,2}))(?!\d)日?(?:[ T](\d{1,2}):(\d{2})(?!\d))?"
)
_TIME_OF_DAY = re.compile(r"(\d{1,2}):(\d{2})(?!\d)")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"([A-Za-z][\w-]*)[ \t]*:(.*)")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)")


def read_markdown_notes(source: Path, workspace: Path) -> Iterator[Item]:
    """Yield the notes of the Markdown files below a folder, or of one file.

    Their origin is `Origin.NOTES`, since a note may also be a pasted page. Raises `InputError` if there is no Markdown,
    or if the source is a memory of this program.
    """
    own = MemoryPaths.of(workspace).memory.resolve()
    if _is_memory(source):
        raise InputError(
            Sentence("{source} is a memory of this program.", source=source),
            hint="Run `nanobot-memory export` there; import the archive.",
        )
    files = list(_files(source))
    if not any(is_markdown(path) for path, _ in files):
        raise InputError(
            Sentence("There is no Markdown in {source}.", source=source),
            hint="Name the folder that holds the .md files.",
        )
    root = source.parent if source.is_file() else source
    for path, why in files:
        name = path.relative_to(root).as_posix()
        if path.resolve().is_relative_to(own):
            why = Sentence("it is part of this memory already")
        if why:
            yield Skipped(why, name)
        else:
            yield from markdown_items(path, name, origin=Origin.NOTES, tags=("imported",))


def _files(source: Path) -> Iterator[tuple[Path, str]]:
    if source.is_file():
        yield source, "" if is_markdown(source) else Sentence("it is no Markdown")
        return
    for path, why in files_below(source):
        yield path, why or ("" if is_markdown(path) else Sentence("it is no Markdown"))


def is_markdown(path: Path) -> bool:
    """Return whether a file is Markdown, by its name."""
    return path.suffix.lower() in _SUFFIXES


def _is_memory(folder: Path) -> bool:
    return any((memory / ".locks").is_dir() for memory in (folder, folder / "memory")) or (
        (folder / MANIFEST).is_file() and (folder / "memory").is_dir()
    )


@dataclass(slots=True)
class _Page:
    """The file that is read: its title, its day, whether the day is certain, the headings of the current section."""

    file: str
    title: str
    day: datetime
    is_certain: bool
    headings: list[tuple[int, str]] = field(default_factory=list)


def markdown_items(path: Path, name: str, *, origin: Origin, tags: tuple[str, ...] = ()) -> Iterator[Item]:
    """Yield the notes of a Markdown file; ``name`` is its name in the report.

    A note's day is that of a heading, else of the file's name, else of its front matter, else of its last modification.
    Each note's title contains the folder and the file's title. A note in this program's format is a section like any
    other. A file that is neither UTF-8 nor UTF-16 is skipped.
    """
    try:
        about = path.stat()
        if about.st_size > MAX_BYTES:
            yield Skipped(Sentence("it is larger than {size} MB", size=MAX_BYTES >> 20), name)
            return
        text = _decode(path.read_bytes())
    except OSError as error:
        yield Skipped(Sentence("it cannot be read: {why}", why=error.strerror), name)
        return
    except ValueError as error:
        yield Skipped(error.args[0], name)
        return
    public = without_private(text)  # before it is split, since a private part may contain headings
    if public != text:
        yield Skipped(Sentence("its private parts"), name)
        text = public
    changed = datetime.fromtimestamp(int(about.st_mtime), UTC)
    front = _FRONT_MATTER.match(text)
    fields = _fields(front[1]) if front is not None else {}
    start = front.end() if front is not None else 0
    day = next(filter(None, map(_find_date, (path.stem, name.rpartition(".")[0], *fields.get("date", ())))), None)
    folder, title = name.rpartition("/")[0], (fields.get("title") or [path.stem])[0]
    page = _Page(name, f"{folder}/{title}" if folder else title, day or changed, day is not None)
    tags = tuple(dict.fromkeys((*tags, *(one.lstrip("#") for one in fields.get("tags", ())))))
    is_empty = True
    body = text[start:].encode()
    for part in parse_notes(body, line=text.count("\n", 0, start) + 1):
        section = body[part.offset : part.offset + part.length].decode()
        if (item := _section(section, part.line, page, origin, tags)) is not None:
            is_empty = False
            yield item
    if is_empty:
        headings = " / ".join(heading for _, heading in page.headings)  # a heading alone may be a note
        note = Note(tldr=headings, title=page.title, tags=tags, origin=origin, time=page.day)
        yield ImportedNote(note, name, 1, page.is_certain) if headings else Skipped("it has no text", name)


def _decode(data: bytes) -> str:
    """Decode a file: UTF-8, or UTF-16 with a byte order mark. Raises ValueError with the reason."""
    is_utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not is_utf16 and (b"\0" in data or b"\xff" * 4 in data):
        raise ValueError(Sentence("it is damaged: {why}", why=Sentence.of(describe_damage(data))))
    try:
        return data.decode("utf-16" if is_utf16 else "utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(
            Sentence("it is not UTF-8; `iconv -f CHARSET -t utf-8`, with gb18030, big5 or cp1252, makes it so")
        ) from None


def _fields(text: str) -> dict[str, list[str]]:
    """Return the values of each field in front matter: a single one, a list in brackets, or a list of lines."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        if (match := _FIELD.fullmatch(line.rstrip())) is not None:
            name = match[1].lower()
            values = re.split(r"[,，、]", match[2].strip(" []")) if name == "tags" else [match[2]]
            found[name] = [value for one in values if (value := one.strip(" \"'"))]
        elif name and (item := _ITEM.fullmatch(line.rstrip())) is not None:
            found[name].append(item[1].strip(" \"'"))
    return found


def _section(text: str, line: int, page: _Page, origin: Origin, tags: tuple[str, ...]) -> ImportedNote | None:
    first, _, remainder = text.partition("\n")
    level = len(first) - len(first.lstrip("#")) if re.match(r"#{1,3}(\s|$)", first) else 0
    if level:
        page.headings = [one for one in page.headings if one[0] < level]
        if heading := first.strip("# \t\r"):
            page.headings.append((level, heading))
    body = (remainder if level else text).strip()
    if not body:
        return None  # a heading without text is part of the titles of the sections below it
    when, is_certain = page.day, page.is_certain
    for _, heading in page.headings:
        if (date := _find_date(heading, when)) is not None:
            when, is_certain = date, True
    headings = " / ".join(heading for _, heading in page.headings if heading != Path(page.file).stem)
    tldr, details = tldr_of(body)
    title = f"{page.title}: {headings}" if headings else page.title
    note = Note(tldr=tldr, details=details, title=title, tags=tags, origin=origin, time=when)
    return ImportedNote(note, page.file, line, is_certain)


def _find_date(text: str, day: datetime | None = None) -> datetime | None:
    """Return the date, with the time if there is one, in a text, or None; a time alone is on ``day``."""
    text = unicodedata.normalize("NFKC", text).replace("_", "-")
    try:
        if (match := _DATE.search(text)) is not None:
            year, month, day_of_month = int(match[1]), int(match[2] or match[4]), int(match[3] or match[5])
            return datetime(year, month, day_of_month, int(match[6] or 12), int(match[7] or 0))
        if day is not None and day.tzinfo is None and (time := _TIME_OF_DAY.match(text)) is not None:
            return day.replace(hour=int(time[1]), minute=int(time[2]))
    except ValueError:
        pass
    return None
