"""The memory files of a workspace, one after the other, without what is to be forgotten."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from nanobot_memory_plugins.core.erasure.file_parts import (
    NAMES,
    encoded,
    head_lines,
    note_parts,
    row_bytes,
    row_of,
    with_texts,
)
from nanobot_memory_plugins.core.erasure.matching import ErasureMatcher, Stretch, cut
from nanobot_memory_plugins.core.erasure.plan import held_line, trace_of
from nanobot_memory_plugins.core.erasure.rewriting import (
    files_below,
    is_copy,
    is_left_behind,
    is_temporary,
    remove_empty,
    rewrite,
)
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.notes import NoteEntry
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.values import Erasure, Trace
from nanobot_memory_plugins.core.values.purging import HeldLine
from nanobot_memory_plugins.redaction.script.messages import Sentence

_BEING_WRITTEN = "it is being written just now; the next start removes it"
_NOT_OURS = "it is not a file of ours"
_FOREIGN = "text of yours; --everywhere removes it, too"
_FILE_NAME = "the name of the file holds the words, and stays; a transcript has that of its session"
_NAMED = "the name of a session or a person, by which memories are found"


@dataclass(slots=True)
class _Cleaned:
    """The bytes without what is to be forgotten, and which lines held it.

    ``foreign`` is in text of people, ``named`` in names; both stay.
    """

    data: bytes = b""
    found: list[HeldLine] = field(default_factory=list)
    foreign: list[HeldLine] = field(default_factory=list)
    named: list[HeldLine] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FilePurge:
    """One look through the files, or one cleaning of them. Everything here blocks.

    ``matcher`` finds words, ``records`` are whole messages and notes by their ids, ``sessions`` all that is of a
    conversation.
    ``everywhere`` takes text of people, too.
    """

    paths: MemoryPaths
    matcher: ErasureMatcher
    records: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()
    everywhere: bool = False
    dry_run: bool = True

    @classmethod
    def of(cls, paths: MemoryPaths, erasure: Erasure, *, dry_run: bool) -> "FilePurge":
        """Return the look through the files, or their cleaning, that an erasure asks for."""
        matcher = ErasureMatcher(erasure.texts, words=erasure.words)
        records, sessions = (frozenset(filter(None, ids)) for ids in (erasure.records, erasure.sessions))
        return cls(paths, matcher, records, sessions, erasure.everywhere, dry_run)

    def run(self) -> list[Trace]:
        """Return what was found, file by file. What cannot be written is reported, and stays."""
        if not (self.matcher or self.records or self.sessions):
            return []
        traces: list[Trace] = []
        # Copies first: a file that is written anew takes its copies along.
        for path in sorted(files_below(self.paths), key=lambda path: (not _is_by_product(path), path)):
            if path == self.paths.privacy:  # it says what is being forgotten, until that is done
                continue
            where = self.paths.relative(path)
            try:
                traces += self._purge(path, where)
            except FileNotFoundError:
                continue  # it has been replaced meanwhile
            except (OSError, MemoryFileError) as error:
                why = error.cause if isinstance(error, MemoryFileError) else type(error).__name__
                why = Sentence("it cannot be cleaned: {why}", why=why)
                traces.append(Trace(where, 0, removed=False, why=why, waits=True))
            if any(map(self.matcher.count, path.parts[len(self.paths.memory.parts) :])):
                traces.append(Trace(where, 0, removed=False, why=_FILE_NAME))
        return list(dict.fromkeys(traces))

    def clean_notes(self, data: bytes) -> _Cleaned:
        """Return a Markdown file without what is to be forgotten."""
        result, pieces = _Cleaned(), list[bytes]()
        for part, raw, text in note_parts(data):
            has_id = isinstance(part, NoteEntry) and bool(part.id)
            if isinstance(part, NoteEntry) and (part.id in self.records or part.scope.session in self.sessions):
                result.found.append(held_line(part.line, part.title or part.tldr))
                continue
            cuts: list[Stretch] = []
            names = list(head_lines(text)) if has_id else []
            for one in self.matcher.stretches(text):
                held = _held(text, one, part.line + text.count("\n", 0, one.at))
                if not has_id and not self.everywhere:
                    result.foreign.append(held)
                elif any(start < one.end and one.start < end for start, end in names):
                    result.named.append(held)
                else:
                    result.found.append(held)
                    cuts.append(one)
            pieces.append(encoded(cut(text, cuts)) if cuts else raw)
        result.data = b"".join(pieces)
        return result

    def clean_transcript(self, data: bytes) -> _Cleaned:
        """Return a transcript without what is to be forgotten. A line that cannot be read goes whole."""
        result, lines = _Cleaned(), list[bytes]()
        for number, line in enumerate(data.split(b"\n"), 1):
            cleaned = self._clean_line(line, number, result)
            if cleaned is not None:
                lines.append(cleaned)
        result.data = b"\n".join(lines)
        return result

    def held_lines(self, data: bytes) -> list[HeldLine]:
        """Return the lines of any file that hold the words."""
        text = data.decode("utf-8", "replace")
        return [_held(text, one, 1 + text.count("\n", 0, one.at)) for one in self.matcher.stretches(text)]

    @property
    def _ids(self) -> frozenset[str]:
        """What stands as it is in a line that goes whole."""
        return self.records | {session if session.isascii() else "" for session in self.sessions}

    def _clean_line(self, line: bytes, number: int, result: _Cleaned) -> bytes | None:
        """Return a line without what is to be forgotten, or None where nothing of it stays."""
        text = line.decode("utf-8", "surrogateescape")
        if not self.matcher.may_be_in(text) and not any(id_ in text for id_ in self._ids):
            return line
        try:
            row = row_of(text)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            found = [_held(text, one, number) for one in self.matcher.stretches(text)]
            result.found += found
            return None if found else line
        if row.get("id") in self.records or row.get("session") in self.sessions:
            result.found.append(held_line(number, str(row.get("text", ""))))
            return None
        names = [str(row[name]) for name in NAMES & row.keys()]
        result.named += [held_line(number, name) for name in names if self.matcher.count(name)]

        def without(value: str) -> str:
            cuts = self.matcher.stretches(value)
            result.found.extend(_held(value, one, number) for one in cuts)
            return cut(value, cuts)

        cleaned = with_texts(row, without)
        return line if cleaned == row else row_bytes(cleaned)

    def _purge(self, path: Path, where: str) -> list[Trace]:
        paths = self.paths
        is_transcript = path.parent == paths.sessions and path.suffix == ".jsonl"
        if _is_by_product(path):
            return self._remove(path, where)
        if not is_transcript and not _is_our_markdown(paths, path):
            held = self.held_lines(read_regular(path))
            return [trace_of(where, held, removed=False, why=_NOT_OURS)] if held else []
        clean = self.clean_transcript if is_transcript else self.clean_notes
        before = read_regular(path)
        first = clean(before)
        if first.data != before and not self.dry_run:
            rewrite(paths, path, lambda data: clean(data).data)
            remove_empty(paths, path)
        traces = [
            trace_of(where, first.found),
            replace(trace_of(where, first.foreign, removed=False, why=_FOREIGN), foreign=True),
            trace_of(where, first.named, removed=False, why=_NAMED),
        ]
        return [one for one in traces if one.lines]

    def _remove(self, path: Path, where: str) -> list[Trace]:
        """Remove a copy of a file of ours where it holds what is to be forgotten, or may hold it."""
        data = read_regular(path)
        held = self.held_lines(data)
        held += [held_line(0, id_) for id_ in sorted(filter(None, self._ids)) if id_.encode() in data]
        if not held:
            return []
        if is_temporary(path) and not is_left_behind(self.paths, path):
            return [replace(trace_of(where, held, removed=False, why=_BEING_WRITTEN), waits=True)]
        if not self.dry_run:
            path.unlink(missing_ok=True)
        return [trace_of(where, held)]


def _is_by_product(path: Path) -> bool:
    return is_temporary(path) or is_copy(path)


def _is_our_markdown(paths: MemoryPaths, path: Path) -> bool:
    """Return whether a file is one of the Markdown files below the memory folder, whoever wrote in it."""
    is_below = path.suffix == ".md" and path.is_relative_to(paths.memory)
    return is_below and not any(part.startswith(".") for part in path.relative_to(paths.memory).parts)


def _held(text: str, stretch: Stretch, line: int) -> HeldLine:
    return held_line(line, text[stretch.start : stretch.end], stretch.at - stretch.start)
