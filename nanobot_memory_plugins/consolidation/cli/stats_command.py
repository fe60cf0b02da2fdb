"""``nanobot-memory stats``: what is stored, what is recalled, and what that costs."""

from collections import Counter
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table

from nanobot_memory_plugins.consolidation.cli.shown import opened
from nanobot_memory_plugins.consolidation.model.entry import Section
from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.costs import costs_of, show_costs
from nanobot_memory_plugins.core.cli.options import JsonOption, WorkspaceOption, print_json
from nanobot_memory_plugins.core.cli.plain import told_size
from nanobot_memory_plugins.core.host.stored import (
    Stored,
    stored_messages,
    stored_notes,
    stored_recalls,
    text_of_record,
)
from nanobot_memory_plugins.redaction.script.messages import tr

# Memories that are shown without --all, and what of a text.
_MOST, _ALL, _TEXT = 5, 50, 60
_STORED_WORDS = ("messages", "notes", "entries", "active")


def stats(
    everything: Annotated[bool, typer.Option("--all", help="The fifty most recalled.")] = False,
    days: Annotated[int, typer.Option("--days", min=1, max=3_650, help="How many days back, today included.")] = 7,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what is stored, by kind and origin, what is recalled most, and what the memory costs."""
    repository = opened(workspace)
    entries = repository.load().entries
    kept = Stored(len(entries), kinds=Counter(str(one.category) for one in entries.values()))
    active = sum(one.section is Section.ACTIVE for one in entries.values())
    said, noted = stored_messages(repository.paths), stored_notes(repository.paths)
    recalled = stored_recalls(repository.paths)
    cost = costs_of(repository.paths, days)
    most: list[dict[str, Any]] = []
    for (file, record), times in recalled.times.most_common(_ALL):
        text = entries[record].content if record in entries else text_of_record(repository.paths, file, record)
        if text:
            most.append({"times": times, "file": file, "id": record, "text": " ".join(text.split())})
    if as_json:
        print_json(
            {
                "ok": True,
                "messages": _row(said),
                "notes": _row(noted),
                "entries": {**_row(kept), "active": active},
                "recall": {
                    "turns": recalled.turns,
                    "with_memories": recalled.with_memories,
                    "since": recalled.since.isoformat() if recalled.since else None,
                    "most": most,
                },
                "cost": cost,
            }
        )
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in (tr("stored"), tr("count"), tr("size"), tr("from"), tr("kinds")):
        table.add_column(heading)
    for name, one in {"messages": said, "notes": noted, "entries": kept}.items():
        kinds = [("active", active), *one.kinds.most_common()] if one is kept and one.count else one.kinds.items()
        told = [", ".join(f"{tr(key)} {count:,}" for key, count in counts) for counts in (one.origins.items(), kinds)]
        table.add_row(tr(name), f"{one.count:,}", told_size(one.size), *map(shown, told))
    out = console(wraps=True)
    out.print(table)
    if recalled.since is None:
        out.print(tr("No turn is recorded yet."))
    else:
        out.print(
            tr(
                "{turns:,} turns are recorded since {since}; {with_memories:,} got memories.",
                turns=recalled.turns,
                since=recalled.since,
                with_memories=recalled.with_memories,
            )
        )
    for row in most if everything else most[:_MOST]:
        text = row["text"] if len(row["text"]) <= _TEXT else f"{row['text'][: _TEXT - 1]}…"
        console().print(f"{row['times']:>6,}  {shown(text)}  [dim]{shown(row['file'])}[/dim]")
    show_costs(cost, out)


def _row(stored: Stored) -> dict[str, Any]:
    return {
        "count": stored.count,
        "bytes": stored.size,
        "files": stored.files,
        "origins": dict(stored.origins.most_common()),
        "kinds": dict(stored.kinds.most_common()),
        "months": dict(sorted(stored.months.items())),
    }
