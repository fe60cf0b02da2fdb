"""``nanobot-memory cost``: what the memory costs and saves in prompts, and what it used the language model for."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, time, timedelta
from itertools import islice
from typing import Annotated, Any, Final

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.options import JsonOption, WorkspaceOption, existing_workspace, print_json
from nanobot_memory_plugins.core.host.missed_turns import missed_turns
from nanobot_memory_plugins.core.host.recall_log import Injection, injections
from nanobot_memory_plugins.core.language_model.ledger import ANSWERED, CANCELLED, Usage, uses
from nanobot_memory_plugins.core.language_model.options import LanguageModelOptions
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.redaction.script.messages import tr

_DAYS = 7
_LONGEST_TURN = timedelta(hours=1)


PURPOSE_WORDS: Final = ("reading", "consolidation", "compaction", "summary")
"""What the language model is used for by this set."""


@dataclass(slots=True)
class Cost:
    """The uses of one purpose by one plugin on one day. Tokens are estimated, seconds are summed up."""

    day: str
    purpose: str
    plugin: str
    uses: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    seconds: float = 0.0


def cost(
    days: Annotated[int, typer.Option("--days", min=1, max=3_650, help="How many days back, today included.")] = _DAYS,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what the language model was used for: by day (UTC), purpose and plugin, in estimated tokens.

    Below it, what recall put into the prompts and what the whole memory would have cost there; and what the set costs:
    recalled blocks, its tools, the entries in the prompt, and its own uses of the model.
    """
    state = StateDatabase.of(existing_workspace(workspace))
    since = datetime.now(UTC).date() - timedelta(days=days - 1)
    rows = summed(uses(state, since=since))
    begin = datetime.combine(since, time.min, UTC)
    missed = [one.time for one in missed_turns(state, since=begin) if one.plugin == "recall"]
    recalled = savings(injections(state, since=since), missed)
    if as_json:
        whole = {"rows": [_row(row) for row in rows], "total": _row(total(rows))}
        saved = {"days": [_saving(one) for one in recalled], "total": _saving(total_saving(recalled))}
        print_json({"days": days, **whole, "recall": saved, "cost": _expense(rows, recalled)})
        return
    out = console(wraps=True)
    if rows:
        out.print(
            tr(
                "What the memory itself asked the language model since {since} (days in UTC), a line for each day, "
                "purpose and plugin:",
                since=rows[-1].day,
            ),
            soft_wrap=True,
        )
        out.print(cost_table(rows))
        out.print(
            tr(
                "Tokens are estimates. A purpose may use {daily_tokens:,} a day, unless core.languageModel "
                "says otherwise.",
                daily_tokens=LanguageModelOptions().daily_tokens,
            )
        )
    else:
        out.print(tr("The memory made no use of the language model in the last {days} days.", days=days))
    if recalled:
        out.print(
            tr(
                "What recall added to your turns since {since}, in tokens, a line for each day:", since=recalled[-1].day
            ),
            soft_wrap=True,
        )
        out.print(savings_table(recalled))
        out.print(tr("Saved: what the Markdown of the memory would have cost in each turn, less what was recalled."))
        if failed := total_saving(recalled).failed:
            out.print(
                tr(
                    "In {failed:,} of the turns recall failed or was too late, which counts as no saving: "
                    "`nanobot-memory doctor` says why.",
                    failed=failed,
                ),
                soft_wrap=True,
            )
    if rows or recalled:
        begun = min(one[-1].day for one in (rows, recalled) if one)
        _show_expense(_expense(rows, recalled), total_saving(recalled), begun, out)


def summed(used: Iterable[Usage]) -> list[Cost]:
    """Return the uses summed up by day, purpose and plugin, newest day first."""
    rows: dict[tuple[str, str, str], Cost] = {}
    for usage in used:
        key = (usage.time.date().isoformat(), usage.purpose, usage.plugin)
        row = rows.setdefault(key, Cost(*key))
        row.uses += 1
        row.failed += usage.outcome not in (ANSWERED, CANCELLED)
        row.prompt_tokens += usage.prompt_tokens
        row.answer_tokens += usage.answer_tokens
        row.seconds += usage.seconds
    by_purpose = sorted(rows.values(), key=lambda row: (row.purpose, row.plugin))
    return sorted(by_purpose, key=lambda row: row.day, reverse=True)


def told_purpose(purpose: str) -> str:
    """Return a purpose in the reader's language, where it is one of this set."""
    return tr(purpose) if purpose in PURPOSE_WORDS else purpose


def total(rows: Iterable[Cost]) -> Cost:
    """Return one row that sums up all."""
    whole = Cost("total", "", "")
    for row in rows:
        whole.uses += row.uses
        whole.failed += row.failed
        whole.prompt_tokens += row.prompt_tokens
        whole.answer_tokens += row.answer_tokens
        whole.seconds += row.seconds
    return whole


@dataclass(slots=True)
class Saving:
    """What recall put into the prompts of one day, and what the whole memory would have cost there, in tokens.

    ``failed`` are turns in which recall failed or was too late: the whole memory is not counted for them.
    """

    day: str
    turns: int = 0
    failed: int = 0
    with_memories: int = 0
    memories: int = 0
    injected_tokens: int = 0
    whole_tokens: int = 0
    tool_tokens: int = 0
    entry_tokens: int = 0

    @property
    def saved_tokens(self) -> int:
        """What was not spent; below 0 where more was recalled than the memory holds in Markdown."""
        return self.whole_tokens - self.injected_tokens

    @property
    def saved_share(self) -> float:
        """That as a share of the whole."""
        return self.saved_tokens / self.whole_tokens if self.whole_tokens else 0.0


def savings(recorded: Iterable[Injection], missed: Iterable[datetime] = ()) -> list[Saving]:
    """Return the recorded turns summed up by day, newest first; ``missed`` is when recall failed or was too late."""
    turns = list(recorded)
    failed = _failed(turns, sorted(missed))
    days: dict[str, Saving] = {}
    for number, turn in enumerate(turns):
        day = turn.time.date().isoformat()
        row = days.setdefault(day, Saving(day))
        row.turns += 1
        row.failed += number in failed
        row.with_memories += bool(turn.ids)
        row.memories += len(turn.ids)
        row.injected_tokens += turn.tokens
        row.whole_tokens += 0 if number in failed else turn.whole_tokens
        row.tool_tokens += turn.tool_tokens
        row.entry_tokens += turn.entry_tokens
    return sorted(days.values(), key=lambda row: row.day, reverse=True)


def _failed(turns: Sequence[Injection], missed: Sequence[datetime]) -> set[int]:
    """Return which turns are those that missed recall: a turn is recorded once it is answered, within the hour."""
    times = [turn.time for turn in turns]
    found: set[int] = set()
    for moment in missed:
        within = range(bisect_left(times, moment), bisect_right(times, moment + _LONGEST_TURN))
        found.update(islice((one for one in within if not turns[one].ids and one not in found), 1))
    return found


def total_saving(rows: Iterable[Saving]) -> Saving:
    """Return one row that sums up all."""
    whole = Saving("total")
    for row in rows:
        whole.turns += row.turns
        whole.failed += row.failed
        whole.with_memories += row.with_memories
        whole.memories += row.memories
        whole.injected_tokens += row.injected_tokens
        whole.whole_tokens += row.whole_tokens
        whole.tool_tokens += row.tool_tokens
        whole.entry_tokens += row.entry_tokens
    return whole


def savings_table(rows: list[Saving]) -> Table:
    """Return the savings as a table for people, with their sum at the end."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_footer=True)
    headings = (
        tr("day"), tr("turns"), tr("turns with memories"), tr("recalled tokens"), tr("tokens of the whole memory"),
        tr("saved tokens"), tr("saved share"),
    )  # fmt: skip
    footers = _cells(total_saving(rows))
    for number, (heading, footer) in enumerate(zip(headings, footers, strict=True)):
        table.add_column(heading, footer=footer, justify="right" if number else "left")
    for row in rows:
        table.add_row(*_cells(row))
    return table


def _cells(row: Saving) -> tuple[str, ...]:
    numbers = (row.turns, row.with_memories, row.injected_tokens, row.whole_tokens, row.saved_tokens)
    return (tr(row.day), *(f"{number:,}" for number in numbers), f"{row.saved_share:.0%}")


def _expense(used: list[Cost], recalled: list[Saving]) -> dict[str, int]:
    """Return what the set costs, in estimated tokens, and what is left of the saving."""
    calls, turns = total(used), total_saving(recalled)
    parts = {
        "blocks": turns.injected_tokens,
        "tools": turns.tool_tokens,
        "entries": turns.entry_tokens,
        "background": calls.prompt_tokens + calls.answer_tokens,
    }
    whole = sum(parts.values())
    return {**parts, "total": whole, "whole_memory": turns.whole_tokens, "net": turns.whole_tokens - whole}


_EXPENSE_WORDS = {
    "blocks": "recalled memories, beside your messages",
    "tools": "descriptions of its tools (memory_search, remember, ...)",
    "entries": "entries in the system prompt",
    "background": "its own uses of the model, questions and answers",
    "total": "total",
}


def _show_expense(expense: dict[str, int], turns: Saving, since: str, out: Console) -> None:
    """Show what the set costs, and what it saves beside that."""
    told = tr("What the set costs since {since}, in {turns:,} turns:", since=since, turns=turns.turns)
    out.print(tr("What the set costs since {since}, in 1 turn:", since=since) if turns.turns == 1 else told)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(tr("for what"))
    table.add_column(tr("tokens in all"), justify="right")
    table.add_column(tr("tokens a turn"), justify="right")
    for key, name in _EXPENSE_WORDS.items():
        table.add_row(tr(name), f"{expense[key]:,}", f"{expense[key] / turns.turns:,.0f}" if turns.turns else "")
    out.print(table)
    if turns.turns:
        counted = max(1, turns.turns - turns.failed)
        numbers = {"net": round(abs(expense["net"]) / turns.turns), "whole": round(turns.whole_tokens / counted)}
        saves = tr(
            "On average the set takes {net:,} tokens less in a turn than the whole Markdown of the memory would "
            "({whole:,}).",
            **numbers,
        )
        costs = tr(
            "On average the set takes {net:,} tokens more in a turn than the whole Markdown of the memory would "
            "({whole:,}).",
            **numbers,
        )
        out.print(saves if expense["net"] >= 0 else costs, soft_wrap=True)
        out.print(
            tr(
                "Tools and entries are counted once a turn: each further request of it holds them again, "
                "mostly from the provider's cache. `core.tools: off` offers no tools."
            ),
            soft_wrap=True,
        )


def _saving(row: Saving) -> dict[str, Any]:
    told = {key: value for key, value in asdict(row).items() if key not in ("tool_tokens", "entry_tokens")}
    return {**told, "saved_tokens": row.saved_tokens, "saved_share": round(row.saved_share, 4)}


def cost_table(rows: list[Cost]) -> Table:
    """Return the rows as a table for people, with their sum at the end."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_footer=True)
    whole = total(rows)
    columns = {
        tr("day"): tr("total"),
        tr("purpose"): "",
        tr("plugin"): "",
        tr("uses"): f"{whole.uses:,}",
        tr("failed"): f"{whole.failed:,}",
        tr("prompt tokens"): f"{whole.prompt_tokens:,}",
        tr("answer tokens"): f"{whole.answer_tokens:,}",
        tr("seconds"): f"{whole.seconds:,.1f}",
    }
    for number, (heading, footer) in enumerate(columns.items()):
        table.add_column(heading, footer=footer, justify="left" if number < 3 else "right", overflow="fold")
    for row in rows:
        table.add_row(
            row.day,
            shown(told_purpose(row.purpose)),
            shown(row.plugin),
            f"{row.uses:,}",
            f"{row.failed:,}",
            f"{row.prompt_tokens:,}",
            f"{row.answer_tokens:,}",
            f"{row.seconds:,.1f}",
        )
    return table


def _row(row: Cost) -> dict[str, Any]:
    return {**asdict(row), "seconds": round(row.seconds, 3)}
