"""``nanobot-memory stats``: how much is stored, how often something is recalled, and what that costs.

Costs are estimated tokens: those that the memory adds to prompts, and those of its own model calls.
"""

from collections.abc import Callable, Collection, Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from nanobot_memory_plugins.consolidation.cli.output import open_repository
from nanobot_memory_plugins.core.cli.console import console, escape, show_table
from nanobot_memory_plugins.core.cli.options import JsonOption, WorkspaceOption, print_json
from nanobot_memory_plugins.core.cli.plain import readable_size
from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.files.paths import DAY_NOTE
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.host.turn_records import Injection, injections
from nanobot_memory_plugins.core.language_model.ledger import ANSWERED, Usage, uses
from nanobot_memory_plugins.core.values.entries import Section
from nanobot_memory_plugins.redaction.script.messages import tr

_STORED_WORDS = ("messages", "notes", "entries")
_PURPOSE_WORDS = ("reading", "consolidation", "compaction", "summary")
_SUMS = ("uses", "failed", "prompt_tokens", "answer_tokens", "seconds")
_PART_WORDS = {
    "blocks": "recalled memories, next to your messages",
    "tools": "descriptions of its tools (memory_search, remember, ...)",
    "entries": "entries in the system prompt",
    "background": "its own uses of the model, questions and answers",
    "total": "total",
}


def stats(
    days: Annotated[int, typer.Option("--days", min=1, max=3_650, help="How many days back, today included.")] = 7,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show how much is stored, how often something is recalled, and what the memory costs."""
    repository = open_repository(workspace)
    paths, entries = repository.paths, repository.load().entries.values()
    day_notes = (path for path in paths.memory.glob("*.md") if DAY_NOTE.fullmatch(path.name))
    active = sum(entry.section is Section.ACTIVE for entry in entries)
    stored = {
        "messages": _count_records(paths.sessions.glob("*.jsonl"), lambda data: data.count(b"\n")),
        "notes": _count_records(day_notes, lambda data: sum(isinstance(note, NoteEntry) for note in parse_notes(data))),
        "entries": {"count": len(entries), "active": active},
    }
    turns = list(injections(repository.state, since=date.min))
    since, with_memories = turns[0].time.date() if turns else None, sum(bool(turn.ids) for turn in turns)
    first = datetime.now(UTC).date() - timedelta(days=days - 1)
    counted = [turn for turn in turns if turn.time.date() >= first]
    cost = {"days": days, **_costs(counted, _sum_uses(uses(repository.state, since=first)))}
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
    _show_costs(cost, out)


def _count_records(files: Iterable[Path], count: Callable[[bytes], int]) -> dict[str, int]:
    """Count the records, bytes and files; links and unreadable files are skipped."""
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


def _costs(turns: Collection[Injection], used: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the tokens that the memory cost in ``turns``, and by its own uses of the model."""
    parts = {
        "blocks": sum(one.tokens for one in turns),
        "tools": sum(one.tool_tokens for one in turns),
        "entries": sum(one.entry_tokens for one in turns),
        "background": sum(one["prompt_tokens"] + one["answer_tokens"] for one in used),
    }
    return {"turns": len(turns), **parts, "total": sum(parts.values()), "uses": used}


def _sum_uses(used: Iterable[Usage]) -> list[dict[str, Any]]:
    """Return the uses of the model, summed by purpose and plugin."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for usage in used:
        key = usage.purpose, usage.plugin
        row = rows.setdefault(key, {"purpose": usage.purpose, "plugin": usage.plugin, **dict.fromkeys(_SUMS, 0)})
        row["uses"] += 1
        row["failed"] += usage.outcome != ANSWERED
        row["prompt_tokens"] += usage.prompt_tokens
        row["answer_tokens"] += usage.answer_tokens
        row["seconds"] = round(row["seconds"] + usage.seconds, 3)
    return [rows[key] for key in sorted(rows)]


def _show_costs(cost: dict[str, Any], out: Console) -> None:
    """Print the result of `_costs`."""
    days, turns = cost["days"], cost["turns"]
    if not turns and not cost["uses"]:
        out.print(tr("The memory made no use of the language model in the last {days} days.", days=days))
        return
    out.print(tr("What the memory used in the last {days} days ({turns:,} turns):", days=days, turns=turns))
    rows = [
        (tr(name), f"{cost[key]:,}", f"{cost[key] / turns:,.0f}" if turns else "") for key, name in _PART_WORDS.items()
    ]
    show_table((tr("for what"), tr("tokens in all"), tr("tokens a turn")), rows, out, right=(1, 2))
    for one in cost["uses"]:
        purpose = tr(one["purpose"]) if one["purpose"] in _PURPOSE_WORDS else one["purpose"]
        line = tr(
            "{purpose} ({plugin}): uses: {uses:,}, unanswered: {failed:,}, {tokens:,} tokens, {seconds:,.1f} s",
            **one | {"purpose": purpose, "tokens": one["prompt_tokens"] + one["answer_tokens"]},
        )
        out.print(f"  {escape(line)}", soft_wrap=True)
