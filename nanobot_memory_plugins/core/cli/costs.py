"""What the memory costs in prompts, and what it used the language model for, in estimated tokens."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from rich.console import Console

from nanobot_memory_plugins.core.cli.console import show_table, shown
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.host.turn_records import injections
from nanobot_memory_plugins.core.language_model.ledger import ANSWERED, CANCELLED, Usage, uses
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.redaction.script.messages import tr

_PURPOSE_WORDS = ("reading", "consolidation", "compaction", "summary")
_SUMS = ("uses", "failed", "prompt_tokens", "answer_tokens", "seconds")
_PART_WORDS = {
    "blocks": "recalled memories, beside your messages",
    "tools": "descriptions of its tools (memory_search, remember, ...)",
    "entries": "entries in the system prompt",
    "background": "its own uses of the model, questions and answers",
    "total": "total",
}


def costs_of(paths: MemoryPaths, days: int) -> dict[str, Any]:
    """Return what the memory cost in the last days (UTC), today included. Raises `StoreError`.

    ``whole_memory`` are the tokens that all of its Markdown, as it is now, would have taken in these turns.
    """
    state = StateDatabase.of(paths)
    since = datetime.now(UTC).date() - timedelta(days=days - 1)
    used, turns = _summed(uses(state, since=since)), list(injections(state, since=since))
    parts = {
        "blocks": sum(one.tokens for one in turns),
        "tools": sum(one.tool_tokens for one in turns),
        "entries": sum(one.entry_tokens for one in turns),
        "background": sum(one["prompt_tokens"] + one["answer_tokens"] for one in used),
    }
    return {
        "days": days,
        "turns": len(turns),
        **parts,
        "total": sum(parts.values()),
        "whole_memory": len(turns) * _tokens_of_markdown(paths),
        "uses": used,
    }


def _tokens_of_markdown(paths: MemoryPaths) -> int:
    tokens = 0
    for path in paths.memory.glob("*.md"):
        with suppress(OSError):
            tokens += estimate_tokens(read_regular(path).decode(errors="replace"))
    return tokens


def _summed(used: Iterable[Usage]) -> list[dict[str, Any]]:
    """Return the uses summed up by purpose and plugin."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for usage in used:
        key = usage.purpose, usage.plugin
        row = rows.setdefault(key, {"purpose": usage.purpose, "plugin": usage.plugin, **dict.fromkeys(_SUMS, 0)})
        row["uses"] += 1
        row["failed"] += usage.outcome not in (ANSWERED, CANCELLED)
        row["prompt_tokens"] += usage.prompt_tokens
        row["answer_tokens"] += usage.answer_tokens
        row["seconds"] = round(row["seconds"] + usage.seconds, 3)
    return [rows[key] for key in sorted(rows)]


def show_costs(cost: dict[str, Any], out: Console) -> None:
    """Show what `costs_of` returns."""
    days, turns = cost["days"], cost["turns"]
    if not turns and not cost["uses"]:
        out.print(tr("The memory made no use of the language model in the last {days} days.", days=days))
        return
    out.print(tr("What the memory took in the last {days} days ({turns:,} turns):", days=days, turns=turns))
    rows = [
        (tr(name), f"{cost[key]:,}", f"{cost[key] / turns:,.0f}" if turns else "") for key, name in _PART_WORDS.items()
    ]
    show_table((tr("for what"), tr("tokens in all"), tr("tokens a turn")), rows, out, right=(1, 2))
    for one in cost["uses"]:
        purpose = tr(one["purpose"]) if one["purpose"] in _PURPOSE_WORDS else one["purpose"]
        line = tr(
            "{purpose} ({plugin}): {uses:,} uses, {failed:,} failed, {tokens:,} tokens, {seconds:,.1f} s",
            **one | {"purpose": purpose, "tokens": one["prompt_tokens"] + one["answer_tokens"]},
        )
        out.print(f"  {shown(line)}", soft_wrap=True)
    if turns:
        whole = round(cost["whole_memory"] / turns)
        out.print(tr("The whole Markdown of the memory would take {whole:,} a turn.", whole=whole))
