"""``nanobot-memory stats``: what is stored, by kind and origin, how it grew, and what is recalled."""

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from nanobot_memory_plugins.consolidation.cli.shown import opened
from nanobot_memory_plugins.consolidation.cli.stats import Kept, plain_entries
from nanobot_memory_plugins.consolidation.model.entry import Section
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.cli import finish_erasure, told_size
from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.options import JsonOption, WorkspaceOption, existing_workspace, print_json
from nanobot_memory_plugins.core.files import MemoryPaths, read_regular
from nanobot_memory_plugins.core.host.stored import (
    Recalls,
    Stored,
    line_of,
    recalls_of_records,
    stored_messages,
    stored_notes,
    stored_recalls,
)
from nanobot_memory_plugins.redaction.script.messages import tr

# Months and memories that are shown without --all, and what of a text.
_MONTHS, _MOST, _TEXT = 6, 5, 60
_STORED_WORDS = ("messages", "notes", "entries", "active")


def stats(
    everything: Annotated[bool, typer.Option("--all", help="Every month, and the fifty most recalled.")] = False,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what is stored, by kind and origin, its growth, and what is recalled most and never.

    It is counted from the files, without the index. In JSON all of it is there.
    """
    finish_erasure(existing_workspace(workspace))
    repository = opened(workspace, repaired=False)  # a list of counts does without what takes a second look
    paths = repository.paths
    entries = _kept(repository)
    said, noted, recalled = stored_messages(paths), stored_notes(paths), stored_recalls(paths)
    kept = _of_entries(entries)
    most = _most_recalled(paths, recalled, entries, 50 if everything or as_json else _MOST)
    never = _never(recalled, entries)
    if as_json:
        print_json(
            {
                "ok": True,
                "messages": _row(said),
                "notes": _row(noted),
                "entries": {**_row(kept), "active": _active(entries)},
                "recall": {
                    "turns": recalled.turns,
                    "with_memories": recalled.with_memories,
                    "since": recalled.since.isoformat() if recalled.since else None,
                    "most": most,
                    "never": {"entries": never},
                },
            }
        )
        return
    out = console(wraps=True)
    _show_stored(out, {"messages": said, "notes": noted, "entries": kept}, _active(entries))
    _show_growth(out, {"messages": said, "notes": noted, "entries": kept}, everything=everything)
    _show_recalled(console(), recalled, most, never, len(entries))


def _kept(repository: EntryRepository) -> dict[str, Kept]:
    """Return the entries, read in one step where all of them stand as we write them."""
    try:
        found = plain_entries(read_regular(repository.path))
    except OSError:
        found = None
    if found is not None:
        return found
    read = repository.load().entries
    return {
        id_: Kept(
            str(one.category),
            f"{one.created_at or one.last_activated:%Y-%m}",
            one.hits,
            one.content,
            one.section is Section.ACTIVE,
        )
        for id_, one in read.items()
    }


def _of_entries(entries: Mapping[str, Kept]) -> Stored:
    kinds, months = Counter[str](), Counter[str]()
    for one in entries.values():
        kinds[one.category] += 1
        months[one.month] += 1
    return Stored(len(entries), files=bool(entries), kinds=kinds, months=months)


def _active(entries: Mapping[str, Kept]) -> int:
    return sum(one.is_active for one in entries.values())


def _most_recalled(
    paths: MemoryPaths, recalled: Recalls, entries: Mapping[str, Kept], limit: int
) -> list[dict[str, Any]]:
    """Return what was recalled most and is still there, with its beginning."""
    found: list[dict[str, Any]] = []
    for (file, record), times in recalls_of_records(recalled.times).most_common():
        text = entries[record].text if record in entries else line_of(paths, file, record)
        if text:
            found.append({"times": times, "file": file, "id": record, "text": " ".join(text.split())})
        if len(found) == limit:
            break
    return found


def _never(recalled: Recalls, entries: Mapping[str, Kept]) -> int | None:
    """Return how many entries no recorded turn got; None where no turn is recorded."""
    if recalled.since is None:
        return None
    got = {record for _, record in recalls_of_records(recalled.times)}
    return sum(id_ not in got and not entry.hits for id_, entry in entries.items())


def _row(stored: Stored) -> dict[str, Any]:
    return {
        "count": stored.count,
        "bytes": stored.size,
        "files": stored.files,
        "origins": dict(stored.origins.most_common()),
        "kinds": dict(stored.kinds.most_common()),
        "months": dict(sorted(stored.months.items())),
    }


def _show_stored(out: Console, stored: Mapping[str, Stored], active: int) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    headings = (tr("stored"), tr("count"), tr("size"), tr("from"), tr("kinds"))
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number in (1, 2) else "left")
    for name, one in stored.items():
        kinds = [("active", active), *one.kinds.most_common()] if name == "entries" and one.count else one.kinds.items()
        told = [
            ", ".join(f"{tr(key)} {count:,}" for key, count in counts) for counts in (one.origins.most_common(), kinds)
        ]
        table.add_row(tr(name), f"{one.count:,}", told_size(one.size), *map(shown, told))
    out.print(table)


def _show_growth(out: Console, stored: Mapping[str, Stored], *, everything: bool) -> None:
    months = sorted({month for one in stored.values() for month in one.months})
    listed = months if everything else months[-_MONTHS:]
    if not listed:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(tr("new in"))
    for name in stored:
        table.add_column(tr(name), justify="right")
    for month in listed:
        table.add_row(month, *(f"{one.months[month]:,}" for one in stored.values()))
    out.print(table)
    if len(listed) < len(months):
        out.print(tr("{count} earlier months: --all shows them.", count=len(months) - len(listed)))


def _show_recalled(
    out: Console, recalled: Recalls, most: list[dict[str, Any]], never: int | None, entries: int
) -> None:
    if recalled.since is None:
        out.print(tr("No turn is recorded yet."))
        return
    out.print(
        tr(
            "{turns:,} turns are recorded since {since}; {with_memories:,} got memories.",
            turns=recalled.turns,
            since=recalled.since,
            with_memories=recalled.with_memories,
        )
    )
    for one in most:
        text = one["text"] if len(one["text"]) <= _TEXT else f"{one['text'][: _TEXT - 1]}…"
        out.print(f"{one['times']:>6,}  {shown(text)}  [dim]{shown(one['file'])}[/dim]")
    if entries:
        out.print(
            tr(
                "No turn has got {never:,} of {entries:,} entries; those that had time to be are named by "
                '`nanobot-memory audit --kind "never recalled"`.',
                never=never,
                entries=entries,
            )
        )
