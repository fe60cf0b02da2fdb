"""``nanobot-memory stats``: how much is stored, how often something is recalled, and what that costs."""

import re
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.consolidation.cli.shown import opened
from nanobot_memory_plugins.core.cli.console import console, show_table
from nanobot_memory_plugins.core.cli.costs import costs_of, show_costs
from nanobot_memory_plugins.core.cli.options import JsonOption, WorkspaceOption, print_json
from nanobot_memory_plugins.core.cli.plain import readable_size
from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.host.turn_records import injections
from nanobot_memory_plugins.core.values.entries import Section
from nanobot_memory_plugins.redaction.script.messages import tr

_DAY_NOTE = re.compile(r"\d{4}-\d\d-\d\d.*\.md")
_STORED_WORDS = ("messages", "notes", "entries")


def stats(
    days: Annotated[int, typer.Option("--days", min=1, max=3_650, help="How many days back, today included.")] = 7,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show how much is stored, how often something is recalled, and what the memory costs."""
    repository = opened(workspace)
    paths, entries = repository.paths, repository.load().entries.values()
    day_notes = (path for path in paths.memory.glob("*.md") if _DAY_NOTE.fullmatch(path.name))
    active = sum(entry.section is Section.ACTIVE for entry in entries)
    stored = {
        "messages": _counted(paths.sessions.glob("*.jsonl"), lambda data: data.count(b"\n")),
        "notes": _counted(day_notes, lambda data: sum(isinstance(note, NoteEntry) for note in parse_notes(data))),
        "entries": {"count": len(entries), "active": active},
    }
    turns = list(injections(repository.state, since=date.min))
    since, with_memories = turns[0].time.date() if turns else None, sum(bool(turn.ids) for turn in turns)
    cost = costs_of(paths, days)
    if as_json:
        recall = {"turns": len(turns), "with_memories": with_memories, "since": since}
        print_json({"ok": True, **stored, "recall": recall, "cost": cost})
        return
    out = console(wraps=True)
    rows = [
        (tr(name), f"{figures['count']:,}", readable_size(figures.get("bytes", 0))) for name, figures in stored.items()
    ]
    show_table((tr("stored"), tr("count"), tr("size")), rows, out)
    if since is None:
        out.print(tr("No turn is recorded yet."))
    else:
        values = {"turns": len(turns), "since": since, "with_memories": with_memories}
        out.print(tr("{turns:,} turns are recorded since {since}; {with_memories:,} got memories.", **values))
    show_costs(cost, out)


def _counted(files: Iterable[Path], count: Callable[[bytes], int]) -> dict[str, int]:
    """Count the records of files that can be read, and are no links."""
    found = {"count": 0, "bytes": 0, "files": 0}
    for path in files:
        try:
            data = b"" if path.is_symlink() else read_regular(path)
        except OSError:
            continue
        found["count"] += count(data)
        found["bytes"] += len(data)
        found["files"] += bool(data)
    return found
