"""What the memory costs in prompts, and what it used the language model for, in estimated tokens."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table

from nanobot_memory_plugins.core.cli.console import shown
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.host.turn_records import injections
from nanobot_memory_plugins.core.language_model.ledger import ANSWERED, CANCELLED, Usage, uses
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.redaction.script.messages import tr

PURPOSE_WORDS: Final = ("reading", "consolidation", "compaction", "summary")
"""What the language model is used for by this set."""
_PART_WORDS = {
    "blocks": "recalled memories, beside your messages",
    "tools": "descriptions of its tools (memory_search, remember, ...)",
    "entries": "entries in the system prompt",
    "background": "its own uses of the model, questions and answers",
    "total": "total",
}


@dataclass(slots=True)
class Cost:
    """The uses of one purpose by one plugin. Tokens are estimated, seconds are summed up."""

    purpose: str
    plugin: str
    uses: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    seconds: float = 0.0


def summed(used: Iterable[Usage]) -> list[Cost]:
    """Return the uses summed up by purpose and plugin."""
    rows: dict[tuple[str, str], Cost] = {}
    for usage in used:
        row = rows.setdefault((usage.purpose, usage.plugin), Cost(usage.purpose, usage.plugin))
        row.uses += 1
        row.failed += usage.outcome not in (ANSWERED, CANCELLED)
        row.prompt_tokens += usage.prompt_tokens
        row.answer_tokens += usage.answer_tokens
        row.seconds += usage.seconds
    return [rows[key] for key in sorted(rows)]


def costs_of(paths: MemoryPaths, days: int) -> dict[str, Any]:
    """Return what the memory cost in the last days (UTC), today included. Raises `StoreError`.

    ``whole_memory`` are the tokens that all of its Markdown, as it is now, would have taken in these turns.
    """
    state = StateDatabase.of(paths)
    since = datetime.now(UTC).date() - timedelta(days=days - 1)
    used, turns = summed(uses(state, since=since)), list(injections(state, since=since))
    parts = {
        "blocks": sum(one.tokens for one in turns),
        "tools": sum(one.tool_tokens for one in turns),
        "entries": sum(one.entry_tokens for one in turns),
        "background": sum(one.prompt_tokens + one.answer_tokens for one in used),
    }
    return {
        "days": days,
        "turns": len(turns),
        **parts,
        "total": sum(parts.values()),
        "whole_memory": len(turns) * _tokens_of_markdown(paths),
        "uses": [asdict(one) | {"seconds": round(one.seconds, 3)} for one in used],
    }


def _tokens_of_markdown(paths: MemoryPaths) -> int:
    tokens = 0
    for path in paths.memory.glob("*.md"):
        with suppress(OSError):
            tokens += estimate_tokens(read_regular(path).decode(errors="replace"))
    return tokens


def show_costs(cost: dict[str, Any], out: Console) -> None:
    """Show what `costs_of` returns."""
    days, turns = cost["days"], cost["turns"]
    if not turns and not cost["uses"]:
        out.print(tr("The memory made no use of the language model in the last {days} days.", days=days))
        return
    out.print(tr("What the memory took in the last {days} days ({turns:,} turns):", days=days, turns=turns))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(tr("for what"))
    table.add_column(tr("tokens in all"), justify="right")
    table.add_column(tr("tokens a turn"), justify="right")
    for key, name in _PART_WORDS.items():
        table.add_row(tr(name), f"{cost[key]:,}", f"{cost[key] / turns:,.0f}" if turns else "")
    out.print(table)
    for one in cost["uses"]:
        purpose = tr(one["purpose"]) if one["purpose"] in PURPOSE_WORDS else one["purpose"]
        line = tr(
            "{purpose} ({plugin}): {uses:,} uses, {failed:,} failed, {tokens:,} tokens, {seconds:,.1f} s",
            **one | {"purpose": purpose, "tokens": one["prompt_tokens"] + one["answer_tokens"]},
        )
        out.print(f"  {shown(line)}", soft_wrap=True)
    if turns:
        whole = round(cost["whole_memory"] / turns)
        out.print(tr("The whole Markdown of the memory would take {whole:,} a turn.", whole=whole))
