"""A folder of notes as Obsidian and Logseq keep it: its files, and what a page says of itself."""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nanobot_memory_plugins.core.transfer.formats.shown_text import template_folders
from nanobot_memory_plugins.redaction.script.messages import Sentence

# A larger file is a log or a dump, more likely than a note: it is taken when it is named by itself.
LARGEST_NOTE = 1 << 20
SUFFIXES = (".md", ".markdown")
# A file is a log where nearly every one of its first lines, which are many, begins with a day and a time to the second.
_LOG_LINE = re.compile(
    r"[\[(<]?(?:\d{4}[-/.]\d\d[-/.]\d\d[T ]\d\d:\d\d:\d\d"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |\d{2}/[A-Z][a-z]{2}/\d{4}:\d\d)"
)
_LOG_LOOKED_AT, _LOG_LINES, _LOG_SHARE = 1 << 14, 50, 0.9
EMPTY = "it has no text"
_LARGE = Sentence("it is larger than {size} MB, as a log is; name it by itself to take it", size=LARGEST_NOTE >> 20)
_LOG = Sentence("it looks like a log; name it by itself to take it")
LOGS = (_LARGE, _LOG)
"""Why a file is left that is a note all the same, should its owner say so."""
_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*?)[ \t\r]*$")
_ITEM = re.compile(r"^[ \t]*-[ \t]+(.*?)[ \t\r]*$")
# Logseq: properties of a page stand in its first lines.
_PROPERTY = re.compile(r"^(?:-[ \t]+)?([A-Za-z][\w-]*)::[ \t]*(.*?)[ \t\r]*$")
_LISTS = ("tags", "tag", "aliases", "alias")
_INLINE_TAG = re.compile(r"(?<![\w/#&`\[(])#([^\W\d_][\w/-]*|\d+[^\W\d_][\w/-]*)")
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`", re.DOTALL)
_LONGEST_TAG, _MOST_TAGS = 60, 40


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says of itself; ``body`` is the first character after that."""

    fields: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    body: int = 0


def page_of(text: str) -> Page:
    """Return what the front matter, or the first lines, of a page say of it."""
    front = _FRONT_MATTER.match(text)
    if front is not None:
        return _page(_fields(front[1].splitlines()), front.end())
    found: dict[str, list[str]] = {}
    end = 0
    for line in text.splitlines(keepends=True):
        match = _PROPERTY.match(line.rstrip("\n"))
        if match is None:
            break
        found.setdefault(match[1].lower(), []).append(match[2])
        end += len(line)
    return _page(found, end)


def inline_tags(text: str) -> tuple[str, ...]:
    """Return the tags that stand in a text as ``#tag``, outside of code."""
    found = _INLINE_TAG.findall(_CODE.sub(" ", text))
    return tuple(dict.fromkeys(tag.rstrip("/-") for tag in found if len(tag) <= _LONGEST_TAG))[:_MOST_TAGS]


def vault_files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files below a folder, sorted, each with the reason to leave it, or "" for a note.

    A folder that is left is named once. Links are not followed.
    """
    yield from _below(folder, folder, template_folders(folder))


def _below(folder: Path, root: Path, templates: Collection[Path]) -> Iterator[tuple[Path, str]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda one: one.name)
    except OSError:
        yield folder, "it cannot be read"
        return
    for entry in entries:
        path = Path(entry.path)
        if entry.is_symlink():
            yield path, Sentence("it is a symbolic link")
        elif entry.name.startswith("."):
            yield path, Sentence("it is hidden")
        elif entry.is_dir():
            if entry.name in ("node_modules", "__pycache__"):
                yield path, Sentence("it is a folder of programs")
            elif path in templates:
                yield path, Sentence("it holds the templates of Obsidian")
            elif folder == root and entry.name == "logseq" and (path / "config.edn").is_file():
                yield path, Sentence("it holds the settings of Logseq")
            else:
                yield from _below(path, root, templates)
        elif not entry.is_file():
            yield path, Sentence("it is no regular file")
        elif path.suffix.lower() not in SUFFIXES:
            yield path, Sentence("it is no Markdown")
        elif _size(entry) > LARGEST_NOTE:
            yield path, _LARGE
        elif _is_log(path):
            yield path, _LOG
        else:
            yield path, ""


def _is_log(path: Path) -> bool:
    """Return whether a file begins as a log does."""
    try:
        with path.open("rb") as file:
            start = file.read(_LOG_LOOKED_AT)
    except OSError:  # reading it says so
        return False
    lines = [line for line in start.decode("utf-8", "replace").splitlines() if line.strip()]
    return len(lines) >= _LOG_LINES and sum(bool(_LOG_LINE.match(line)) for line in lines) >= _LOG_SHARE * len(lines)


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat().st_size
    except OSError:  # it went this moment: reading it says so
        return 0


def _fields(lines: list[str]) -> dict[str, list[str]]:
    """Return the fields of front matter: one value, a list in brackets, or a list of lines below."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        if (match := _FIELD.match(line)) is not None:
            name = match[1].lower()
            found.setdefault(name, [])
            if match[2]:
                found[name].append(match[2])
        elif name and (item := _ITEM.match(line)) is not None:
            found[name].append(item[1])
    return found


def _page(found: Mapping[str, list[str]], body: int) -> Page:
    plain = {name: _plain(values[0]) for name, values in found.items() if values and name not in _LISTS}
    return Page(plain, _listed(found, "tags", "tag"), _listed(found, "aliases", "alias"), body)


def _listed(found: Mapping[str, list[str]], *names: str) -> tuple[str, ...]:
    values = [value for name in names for value in found.get(name, ())]
    parts = [part for value in values for part in re.split(r"[,，、]", value.strip("[] "))]
    if len(values) == 1 and "," not in values[0] and names[0] == "tags" and not values[0].startswith(("[", '"', "'")):
        parts = values[0].split()  # "tags: tea work", as Obsidian once wrote them
    cleaned = (_plain(part).lstrip("#").strip() for part in parts)
    return tuple(dict.fromkeys(one for one in cleaned if one and len(one) <= _LONGEST_TAG))[:_MOST_TAGS]


def _plain(value: str) -> str:
    """Return a value without quotation marks and the brackets of a link."""
    return value.strip().strip("\"'").removeprefix("[[").removesuffix("]]").strip()
