"""Records taken out of our files by their ids: lines of transcripts, and notes."""

from collections.abc import Callable, Collection, Iterator
from functools import partial

from nanobot_memory_plugins.core.erasure.contents import note_parts
from nanobot_memory_plugins.core.erasure.rewriting import files_below, lock_of, rewrite
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.files.entries import NoteEntry
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.transcript import parse_transcript_line
from nanobot_memory_plugins.core.values import HeldLine, Trace

Parts = Iterator[tuple[int, bytes, bool]]
Kind = Callable[[bytes, frozenset[str]], Parts]

_ELSEWHERE = frozenset({".entries", ".erasure", ".locks", ".usage", ".git"})


def erase_records(paths: MemoryPaths, ids: Collection[str], *, dry_run: bool = False) -> list[Trace]:
    """Take records out of transcripts and notes, and return where they stood. It blocks.

    Raises `MemoryFileError` and `OSError`.
    """
    wanted = frozenset(filter(None, ids))
    traces: list[Trace] = []
    for path in sorted(files_below(paths.memory, elsewhere=_ELSEWHERE)) if wanted else ():
        kind = {".jsonl": _of_transcript, ".md": _of_notes}.get(path.suffix)
        if kind is None:
            continue
        parts = [(line, part, goes) for line, part, goes in kind(read_regular(path), wanted)]
        lines = tuple(HeldLine(line, "") for line, _, goes in parts if goes)
        if not lines:
            continue
        if not dry_run:
            rewrite(path, partial(_without, kind, wanted), lock=lock_of(paths, path))
        traces.append(Trace(paths.relative(path), len(lines), lines=lines))
    return traces


def _without(kind: Kind, wanted: frozenset[str], data: bytes) -> bytes:
    return b"".join(part for _, part, goes in kind(data, wanted) if not goes)


def _of_transcript(data: bytes, wanted: frozenset[str]) -> Parts:
    """Yield the lines of a transcript, and whether each goes."""
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        record = parse_transcript_line(line)
        yield number, line, record is not None and record.id in wanted


def _of_notes(data: bytes, wanted: frozenset[str]) -> Parts:
    """Yield the parts of a file of notes, and whether each goes."""
    for part, raw, _ in note_parts(data):
        yield part.line, raw, isinstance(part, NoteEntry) and part.id in wanted
