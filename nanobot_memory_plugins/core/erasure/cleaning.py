"""Removing purged text, or secrets, from all memory files: one walk over the files, and one cleaner for each format."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.erasure.matching import ErasureMatcher, cut_out
from nanobot_memory_plugins.core.erasure.plan import trace_line, trace_of
from nanobot_memory_plugins.core.erasure.rewriting import is_by_product, memory_files, remove_copy, rewrite
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.fields import OWNER_FIELDS, origin_of
from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.text.markdown import clean
from nanobot_memory_plugins.core.values import Erasure, Origin, Trace
from nanobot_memory_plugins.core.values.purging import TraceLine
from nanobot_memory_plugins.redaction.rules.rule import PLACEHOLDER
from nanobot_memory_plugins.redaction.script.messages import Sentence

RemoveFunction = Callable[[str, Origin], tuple[str, list[TraceLine]]]
"""Returns a text of that origin without what is to be removed, and the removed lines, which are counted from 0."""

# The fields that identify a message or note and its owner. They are never changed, since memories are found by them,
# although a session may be named after a telephone number.
_NAMES = frozenset({"id", "time", "role", "origin", *OWNER_FIELDS, "name"})
_NAME_LINE = re.compile(rf"(?:{'|'.join(sorted(_NAMES | {'type'}))})[ \t]*:")
# The names of JSON files and of their copies.
_JSON_FILE = re.compile(r"\.jsonl?(?:\.bak|\.[0-9a-f]{16}\.tmp)?$")

_NOT_OURS = "it is not a file of this memory"
_FOREIGN_TEXT = "text of yours; --everywhere removes it, too"
_FILE_NAME = "the name of the file holds the words, and stays; a transcript has that of its session"
_IN_NAME = "the name of a session or a person, by which memories are found"
_GIT = "git may have earlier versions of the files; its history is not rewritten here"


@dataclass(slots=True)
class CleanedFile:
    """The cleaned bytes of a file, and the lines in which something was found.

    What was found is ``removed``, except for lines in text that people wrote (``foreign``) and ``in_names``.
    """

    data: bytes = b""
    removed: list[TraceLine] = field(default_factory=list)
    foreign: list[TraceLine] = field(default_factory=list)
    in_names: list[TraceLine] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Cleaner:
    """Cleans files: removes the text that ``remove`` finds, ``records`` by their ids, and whole ``sessions``.

    With ``everywhere`` it also cleans text that people wrote. Names always stay; ``reports_names`` searches them, too.
    """

    remove: RemoveFunction
    records: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()
    everywhere: bool = False
    reports_names: bool = False

    def clean(self, name: str, data: bytes) -> CleanedFile:
        """Clean the bytes of a file with that name."""
        return self.clean_rows(data) if _JSON_FILE.search(name) else self.clean_notes(data)

    def clean_notes(self, data: bytes) -> CleanedFile:
        """Clean a Markdown file: its structured notes, and with ``everywhere`` the other text in it."""
        result, pieces = CleanedFile(), list[bytes]()
        for part in parse_notes(data):
            raw = data[part.offset : part.offset + part.length]
            note = part if isinstance(part, NoteEntry) else None
            if note and (note.id in self.records or note.scope.session in self.sessions):
                result.removed.append(trace_line(note.line, note.title or note.tldr))
                continue
            is_ours = note is not None and bool(note.id)
            origin = note.origin if note else Origin.USER
            line, kept = part.line, list[str]()
            for piece, is_name in _split_head(raw.decode("utf-8", "surrogateescape"), has_head=is_ours):
                cleaned, found = self.remove(piece, origin) if self.reports_names or not is_name else (piece, [])
                stays = is_name or not (is_ours or self.everywhere)
                group = result.in_names if is_name else result.foreign if stays else result.removed
                group += [TraceLine(line + one.line, one.text) for one in found]
                kept.append(piece if stays else cleaned)
                line += piece.count("\n")
            pieces.append("".join(kept).encode("utf-8", "surrogateescape"))
        result.data = b"".join(pieces)
        return result

    def clean_rows(self, data: bytes) -> CleanedFile:
        """Clean the texts in lines of JSON; a line that is not JSON is cleaned as plain text."""
        result, lines = CleanedFile(), list[bytes]()
        for number, line in enumerate(data.split(b"\n"), 1):
            if (cleaned := self._clean_row(line, number, result)) is not None:
                lines.append(cleaned)
        result.data = b"\n".join(lines)
        return result

    def _clean_row(self, line: bytes, number: int, result: CleanedFile) -> bytes | None:
        """Return the cleaned line, or None if the whole line is removed."""
        origin = Origin.USER

        def clean_text(text: str) -> str:
            cleaned, found = self.remove(text, origin)
            result.removed += [TraceLine(number, one.text) for one in found]
            return cleaned

        try:
            row = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            return clean_text(line.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        if isinstance(row, dict):
            if _is_one_of(self.records, row.get("id")) or _is_one_of(self.sessions, row.get("session")):
                result.removed.append(trace_line(number, str(row.get("text", ""))))
                return None
            origin = origin_of(str(row.get("origin", "")), origin)
            names = [str(row[name]) for name in _NAMES & row.keys()] if self.reports_names else []
            result.in_names += [TraceLine(number, one.text) for name in names for one in self.remove(name, origin)[1]]
        kept = _map_texts(row, clean_text)
        return line if kept == row else clean(json.dumps(kept, ensure_ascii=False, separators=(",", ":"))).encode()


def words_cleaner(erasure: Erasure) -> Cleaner:
    """Return the cleaner that removes what an erasure names."""
    matcher = ErasureMatcher(erasure.texts, words=erasure.words)

    def remove(text: str, _origin: Origin) -> tuple[str, list[TraceLine]]:
        cuts = matcher.stretches(text)
        found = [trace_line(text.count("\n", 0, one.at), text[one.start : one.end], one.at - one.start) for one in cuts]
        return cut_out(text, cuts), found

    records, sessions = (frozenset(filter(None, ids)) for ids in (erasure.records, erasure.sessions))
    return Cleaner(remove, records, sessions, erasure.everywhere, reports_names=True)


def secrets_cleaner(people: Callable[[str], str], tools: Callable[[str], str], *, everywhere: bool) -> Cleaner:
    """Return the cleaner that redacts secrets: with ``tools`` in text from tools and web pages, else with ``people``.

    The text of the lines that it reports is the kind of the secret, in lower case (``api_key``, ``email``).
    """

    def remove(text: str, origin: Origin) -> tuple[str, list[TraceLine]]:
        return remove_secrets(text, tools if origin in (Origin.TOOL, Origin.WEB) else people)

    return Cleaner(remove, everywhere=everywhere)


def remove_secrets(text: str, redact: Callable[[str], str]) -> tuple[str, list[TraceLine]]:
    """Return the redacted text, and the kind of each secret with its line in the text, counted from 0."""
    safe = redact(text)
    before, after = text.split("\n"), safe.split("\n")
    if len(before) != len(after):  # a secret of several lines
        before, after = [text], [safe]
    secrets: list[TraceLine] = []
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        if old != new:
            added = Counter(PLACEHOLDER.findall(new)) - Counter(PLACEHOLDER.findall(old))
            kinds = [placeholder.strip("[]").lower() for placeholder in added.elements()]
            secrets += [TraceLine(number, kind) for kind in kinds or ["redacted"]]
    return safe, secrets


SpecialCleaner = Callable[[Path], Callable[[bytes], CleanedFile] | None]
"""Returns the function that cleans a file whose format only a plugin knows, or None for every other file."""


def clean_files(
    paths: MemoryPaths, cleaner: Cleaner, *, dry_run: bool, special_cleaner: SpecialCleaner = lambda _path: None
) -> list[Trace]:
    """Clean all memory files, unless it is a ``dry_run``, and return what was found in each. It blocks.

    Each file is replaced in one step, so that an interrupted run can be repeated. A file that cannot be written is
    reported and stays as it is.
    """
    traces: list[Trace] = []
    # Copies first, since rewriting a file removes its backup.
    for path in sorted(memory_files(paths), key=lambda path: (not is_by_product(path), path)):
        if path == paths.privacy:  # it holds the words of the purge until that is done
            continue
        where = paths.relative(path)
        try:
            if is_by_product(path):
                traces += _clean_copy(paths, path, cleaner, dry_run=dry_run)
            else:
                traces += _clean_file(paths, path, cleaner, special_cleaner(path), dry_run=dry_run)
        except FileNotFoundError:
            continue  # another process has replaced it
        except (OSError, MemoryFileError) as error:
            why = error.cause if isinstance(error, MemoryFileError) else type(error).__name__
            why = Sentence("it cannot be cleaned: {why}", why=why)
            traces.append(Trace(where, 0, removed=False, why=why, waits=True))
        names = path.parts[len(paths.memory.parts) :] if cleaner.reports_names else ()
        if any(cleaner.remove(name, Origin.USER)[1] for name in names):
            traces.append(Trace(where, 0, removed=False, why=_FILE_NAME))
    if traces and any((folder / ".git").exists() for folder in (paths.workspace, paths.memory)):
        traces.append(Trace(".git", 0, removed=False, why=_GIT))
    return list(dict.fromkeys(traces))


def _clean_file(
    paths: MemoryPaths, path: Path, cleaner: Cleaner, special: Callable[[bytes], CleanedFile] | None, *, dry_run: bool
) -> list[Trace]:
    def clean(data: bytes) -> CleanedFile:
        return special(data) if special else cleaner.clean(path.name, data)

    where, first = paths.relative(path), clean(read_regular(path))
    if not _is_ours(paths, path):
        found = [*first.removed, *first.foreign, *first.in_names]
        return [trace_of(where, found, removed=False, why=_NOT_OURS)] if found else []
    if first.removed and not dry_run:  # cleaning may also change the format, which alone is no reason to rewrite
        rewrite(paths, path, lambda data: clean(data).data)
    traces = [
        trace_of(where, first.removed),
        replace(trace_of(where, first.foreign, removed=False, why=_FOREIGN_TEXT), foreign=True),
        trace_of(where, first.in_names, removed=False, why=_IN_NAME),
    ]
    return [one for one in traces if one.lines]


def _clean_copy(paths: MemoryPaths, path: Path, cleaner: Cleaner, *, dry_run: bool) -> list[Trace]:
    """Remove a copy of one of our files if there is anything to clean in it."""
    data, where = read_regular(path), paths.relative(path)
    cleaned = replace(cleaner, everywhere=True).clean(path.name, data)
    if (
        cleaned.data == data
        and not cleaned.in_names
        and not any(id_.encode() in data for id_ in cleaner.records | cleaner.sessions)
    ):
        return []
    if not dry_run:
        remove_copy(paths, path)
    return [Trace(where)]


def _is_ours(paths: MemoryPaths, path: Path) -> bool:
    """Return whether a file is a transcript or a Markdown file in the memory folder, including those of people."""
    if path.parent == paths.sessions and path.suffix == ".jsonl":
        return True
    is_below = path.suffix == ".md" and path.is_relative_to(paths.memory)
    return is_below and not any(part.startswith(".") for part in path.relative_to(paths.memory).parts)


def _split_head(text: str, *, has_head: bool) -> Iterator[tuple[str, bool]]:
    """Split a part of a file into pieces; True marks the lines of a note's head that hold `_NAMES`."""
    lines = text.splitlines(keepends=True)
    head = next((number for number, line in enumerate(lines) if number and not line.strip()), len(lines))

    def is_name(numbered: tuple[int, str]) -> bool:
        return has_head and numbered[0] < head and _NAME_LINE.match(numbered[1]) is not None

    for are_names, piece in groupby(enumerate(lines), key=is_name):
        yield "".join(line for _, line in piece), are_names


def _is_one_of(names: frozenset[str], value: object) -> bool:
    return isinstance(value, str) and value in names  # files of people may have any value here


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a JSON value with ``change`` applied to each text in it, except for the values of `_NAMES`."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_map_texts(one, change) for one in value]
    if isinstance(value, dict):
        return {name: one if name in _NAMES else _map_texts(one, change) for name, one in value.items()}
    return value
