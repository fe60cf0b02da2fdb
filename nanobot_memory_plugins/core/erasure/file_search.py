"""Looking where the words of an erasure stand in the memory files, for those who forget something and may see it."""

from collections.abc import Callable
from dataclasses import replace

from nanobot_memory_plugins.core.erasure.files import purge_files
from nanobot_memory_plugins.core.erasure.matching import Wanted
from nanobot_memory_plugins.core.erasure.plan import ErasurePlan
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.files.entries import NoteEntry
from nanobot_memory_plugins.core.files.parsing import parse_notes
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.transcript import parse_transcript_line
from nanobot_memory_plugins.core.values import Erasure, Scope, Trace, Visibility


def plan_in_files(
    paths: MemoryPaths,
    erasure: Erasure,
    *,
    visible: Visibility | None = None,
    stopped: Callable[[], bool] | None = None,
) -> ErasurePlan:
    """Return what an erasure would find in transcripts and notes; nothing is written. It blocks.

    With ``visible`` only lines are named that may be seen. Once ``stopped`` is true no further file is looked at, and
    the plan is not whole; the newest come first.
    """
    wanted = Wanted(erasure.texts, words=erasure.words, nearly=erasure.nearly)
    traces = purge_files(paths, wanted, dry_run=True, everywhere=erasure.everywhere, stopped=stopped)
    if visible is not None and not visible.is_everything:
        traces = [seen for one in traces if (seen := _seen(paths, one, visible)) is not None]
    return ErasurePlan(erasure, tuple(traces), is_whole=stopped is None or not stopped())


def _seen(paths: MemoryPaths, trace: Trace, visible: Visibility) -> Trace | None:
    """Return what of a trace may be seen; what tells not whose it is may not."""
    path = paths.workspace / trace.where
    try:
        data = read_regular(path)
    except OSError:
        return None
    if path.parent == paths.sessions and path.suffix == ".jsonl":
        rows = data.split(b"\n")
        records = {one.line: parse_transcript_line(rows[one.line - 1]) for one in trace.lines if one.line <= len(rows)}
        scopes = {line: record.scope for line, record in records.items() if record is not None}
    elif path.suffix == ".md":
        scopes = _scopes_of_notes(data)
    else:
        return None
    lines = tuple(one for one in trace.lines if one.line in scopes and visible.allows(scopes[one.line]))
    return replace(trace, lines=lines, count=len(lines)) if lines else None


def _scopes_of_notes(data: bytes) -> dict[int, Scope]:
    """Return whose each line of a Markdown file is; text that is no note of ours is everybody's, as in a search."""
    scopes: dict[int, Scope] = {}
    for part in parse_notes(data):
        scope = part.scope if isinstance(part, NoteEntry) else Scope()
        rows = data.count(b"\n", part.offset, part.offset + part.length)
        scopes |= dict.fromkeys(range(part.line, part.line + rows + 1), scope)
    return scopes
