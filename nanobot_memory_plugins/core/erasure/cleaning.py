"""The memory files without something: words that are forgotten, or secrets. One walk, and one way through each file."""

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
from nanobot_memory_plugins.core.erasure.rewriting import files_below, is_by_product, remove_copy, rewrite
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

Take = Callable[[str, Origin], tuple[str, list[TraceLine]]]
"""Returns a text of that origin without what goes, and what that was; its lines are counted from 0."""

# Fields with the id and the owner of a message or note: memories are found by them. A session may be named after a
# telephone number.
_NAMES = frozenset({"id", "time", "role", "origin", *OWNER_FIELDS, "name"})
_NAME_LINE = re.compile(rf"(?:{'|'.join(sorted(_NAMES | {'type'}))})[ \t]*:")
# The names of files of JSON, and of copies of them.
_ROWS = re.compile(r"\.jsonl?(?:\.bak|\.[0-9a-f]{16}\.tmp)?$")

_NOT_OURS = "it is not a file of ours"
_FOREIGN = "text of yours; --everywhere removes it, too"
_FILE_NAME = "the name of the file holds the words, and stays; a transcript has that of its session"
_NAMED = "the name of a session or a person, by which memories are found"
_GIT = "git keeps what the files were; its history is not rewritten here"


@dataclass(slots=True)
class CleanedFile:
    """The bytes of a file without what goes, and which lines held it.

    ``foreign`` is in text of people, ``named`` in names; both stay.
    """

    data: bytes = b""
    found: list[TraceLine] = field(default_factory=list)
    foreign: list[TraceLine] = field(default_factory=list)
    named: list[TraceLine] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Cleaner:
    """Takes something out of files: what ``take`` finds, ``records`` by their ids, and all of ``sessions``.

    ``everywhere`` takes it out of text of people, too. Names stay; ``looks_at_names`` says that they are reported.
    """

    take: Take
    records: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()
    everywhere: bool = False
    looks_at_names: bool = False

    def clean(self, name: str, data: bytes) -> CleanedFile:
        """Return the bytes of a file of that name without what goes."""
        return self.clean_rows(data) if _ROWS.search(name) else self.clean_notes(data)

    def clean_notes(self, data: bytes) -> CleanedFile:
        """Return a Markdown file without what goes: its structured notes, and where it is asked for what else it is."""
        result, pieces = CleanedFile(), list[bytes]()
        for part in parse_notes(data):
            raw = data[part.offset : part.offset + part.length]
            note = part if isinstance(part, NoteEntry) else None
            if note and (note.id in self.records or note.scope.session in self.sessions):
                result.found.append(trace_line(note.line, note.title or note.tldr))
                continue
            is_ours = note is not None and bool(note.id)
            origin = note.origin if note else Origin.USER
            line, left = part.line, list[str]()
            for piece, is_name in _pieces(raw.decode("utf-8", "surrogateescape"), has_head=is_ours):
                taken, held = self.take(piece, origin) if self.looks_at_names or not is_name else (piece, [])
                stays = is_name or not (is_ours or self.everywhere)
                group = result.named if is_name else result.foreign if stays else result.found
                group += [TraceLine(line + one.line, one.text) for one in held]
                left.append(piece if stays else taken)
                line += piece.count("\n")
            pieces.append("".join(left).encode("utf-8", "surrogateescape"))
        result.data = b"".join(pieces)
        return result

    def clean_rows(self, data: bytes) -> CleanedFile:
        """Return lines of JSON without what goes in their texts; a line that is no JSON is a text."""
        result, lines = CleanedFile(), list[bytes]()
        for number, line in enumerate(data.split(b"\n"), 1):
            if (cleaned := self._row(line, number, result)) is not None:
                lines.append(cleaned)
        result.data = b"\n".join(lines)
        return result

    def _row(self, line: bytes, number: int, result: CleanedFile) -> bytes | None:
        """Return a line without what goes, or None where nothing of it stays."""
        origin = Origin.USER

        def without(text: str) -> str:
            taken, held = self.take(text, origin)
            result.found += [TraceLine(number, one.text) for one in held]
            return taken

        try:
            row = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            return without(line.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        if isinstance(row, dict):
            if _is_among(self.records, row.get("id")) or _is_among(self.sessions, row.get("session")):
                result.found.append(trace_line(number, str(row.get("text", ""))))
                return None
            origin = origin_of(str(row.get("origin", "")), origin)
            names = [str(row[name]) for name in _NAMES & row.keys()] if self.looks_at_names else []
            result.named += [TraceLine(number, one.text) for name in names for one in self.take(name, origin)[1]]
        left = _with_texts(row, without)
        return line if left == row else clean(json.dumps(left, ensure_ascii=False, separators=(",", ":"))).encode()


def words_cleaner(erasure: Erasure) -> Cleaner:
    """Return what takes out what is to be forgotten."""
    matcher = ErasureMatcher(erasure.texts, words=erasure.words)

    def take(text: str, _origin: Origin) -> tuple[str, list[TraceLine]]:
        cuts = matcher.stretches(text)
        held = [trace_line(text.count("\n", 0, one.at), text[one.start : one.end], one.at - one.start) for one in cuts]
        return cut_out(text, cuts), held

    records, sessions = (frozenset(filter(None, ids)) for ids in (erasure.records, erasure.sessions))
    return Cleaner(take, records, sessions, erasure.everywhere, looks_at_names=True)


def secrets_cleaner(people: Callable[[str], str], tools: Callable[[str], str], *, everywhere: bool) -> Cleaner:
    """Return what takes out secrets; ``tools`` hides those in what tools and pages said.

    The lines that it reports name the kinds of the secrets, in lower case (``api_key``, ``email``).
    """

    def take(text: str, origin: Origin) -> tuple[str, list[TraceLine]]:
        return remove_secrets(text, tools if origin in (Origin.TOOL, Origin.WEB) else people)

    return Cleaner(take, everywhere=everywhere)


def remove_secrets(text: str, redact: Callable[[str], str]) -> tuple[str, list[TraceLine]]:
    """Return a text redacted, and the kinds of what was taken out, by their lines (from 0) in the text."""
    safe = redact(text)
    before, after = text.split("\n"), safe.split("\n")
    if len(before) != len(after):  # a secret of several lines
        before, after = [text], [safe]
    held: list[TraceLine] = []
    for number, (was, left) in enumerate(zip(before, after, strict=True)):
        if was != left:
            new = Counter(PLACEHOLDER.findall(left)) - Counter(PLACEHOLDER.findall(was))
            kinds = [placeholder.strip("[]").lower() for placeholder in new.elements()]
            held += [TraceLine(number, kind) for kind in kinds or ["redacted"]]
    return safe, held


SpecialCleaner = Callable[[Path], Callable[[bytes], CleanedFile] | None]
"""Returns the function that cleans a file whose format only a plugin knows, or None for every other file."""


def clean_files(
    paths: MemoryPaths, cleaner: Cleaner, *, dry_run: bool, special_cleaner: SpecialCleaner = lambda _path: None
) -> list[Trace]:
    """Return what was found, file by file, and take it out unless it is a ``dry_run``. It blocks.

    Each file is replaced in one step: whoever breaks this off can begin again. What cannot be written is reported, and
    stays.
    """
    traces: list[Trace] = []
    # Copies first: a file that is written anew takes its copies along.
    for path in sorted(files_below(paths), key=lambda path: (not is_by_product(path), path)):
        if path == paths.privacy:  # it says what is being forgotten, until that is done
            continue
        where = paths.relative(path)
        try:
            if is_by_product(path):
                traces += _clean_copy(paths, path, cleaner, dry_run=dry_run)
            else:
                traces += _clean_file(paths, path, cleaner, special_cleaner(path), dry_run=dry_run)
        except FileNotFoundError:
            continue  # it has been replaced meanwhile
        except (OSError, MemoryFileError) as error:
            why = error.cause if isinstance(error, MemoryFileError) else type(error).__name__
            why = Sentence("it cannot be cleaned: {why}", why=why)
            traces.append(Trace(where, 0, removed=False, why=why, waits=True))
        names = path.parts[len(paths.memory.parts) :] if cleaner.looks_at_names else ()
        if any(cleaner.take(name, Origin.USER)[1] for name in names):
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
        held = [*first.found, *first.foreign, *first.named]
        return [trace_of(where, held, removed=False, why=_NOT_OURS)] if held else []
    if first.found and not dry_run:  # what only has another form stays
        rewrite(paths, path, lambda data: clean(data).data)
    traces = [
        trace_of(where, first.found),
        replace(trace_of(where, first.foreign, removed=False, why=_FOREIGN), foreign=True),
        trace_of(where, first.named, removed=False, why=_NAMED),
    ]
    return [one for one in traces if one.lines]


def _clean_copy(paths: MemoryPaths, path: Path, cleaner: Cleaner, *, dry_run: bool) -> list[Trace]:
    """Remove a copy of a file of ours where it holds what goes."""
    data, where = read_regular(path), paths.relative(path)
    held = replace(cleaner, everywhere=True).clean(path.name, data)
    if (
        held.data == data
        and not held.named
        and not any(id_.encode() in data for id_ in cleaner.records | cleaner.sessions)
    ):
        return []
    if not dry_run:
        remove_copy(paths, path)
    return [Trace(where)]


def _is_ours(paths: MemoryPaths, path: Path) -> bool:
    """Return whether a file is a transcript, or one of the Markdown files below the memory folder, whoever wrote it."""
    if path.parent == paths.sessions and path.suffix == ".jsonl":
        return True
    is_below = path.suffix == ".md" and path.is_relative_to(paths.memory)
    return is_below and not any(part.startswith(".") for part in path.relative_to(paths.memory).parts)


def _pieces(text: str, *, has_head: bool) -> Iterator[tuple[str, bool]]:
    """Yield a part of a file in pieces, and whether each is lines of a note's head with its id and its owner."""
    lines = text.splitlines(keepends=True)
    head = next((number for number, line in enumerate(lines) if number and not line.strip()), len(lines))

    def is_name(numbered: tuple[int, str]) -> bool:
        return has_head and numbered[0] < head and _NAME_LINE.match(numbered[1]) is not None

    for is_named, piece in groupby(enumerate(lines), key=is_name):
        yield "".join(line for _, line in piece), is_named


def _is_among(names: frozenset[str], value: object) -> bool:
    return isinstance(value, str) and value in names  # in files of people's it may be anything


def _with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a value of JSON with each of its texts changed, but for names."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_with_texts(one, change) for one in value]
    if isinstance(value, dict):
        return {name: one if name in _NAMES else _with_texts(one, change) for name, one in value.items()}
    return value
