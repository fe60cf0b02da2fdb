"""``nanobot-memory cost``: what the language model was used for, by day, purpose and plugin."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from nanobot_memory_plugins.core.cli.options import JsonOption, WorkspaceOption, print_json, resolve_workspace
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.language_model.ledger import ANSWERED, CANCELLED, Usage, uses
from nanobot_memory_plugins.core.language_model.options import LanguageModelOptions

_DAYS = 7


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
    """Show what the language model was used for: by day (UTC), purpose and plugin, in estimated tokens."""
    folder = MemoryPaths.of(resolve_workspace(workspace)).memory / ".usage"
    today = datetime.now(UTC).date()
    try:
        rows = summed(uses(folder, since=today - timedelta(days=days - 1)))
    except OSError as error:
        raise InputError(f"The record of uses cannot be read: {error.strerror}.") from None
    if as_json:
        print_json({"days": days, "rows": [_row(row) for row in rows], "total": _row(total(rows))})
        return
    console = Console()
    if not rows:
        console.print(f"The language model was not used in the last {days} days.")
        return
    console.print(cost_table(rows))
    console.print(
        f"Tokens are estimates. A purpose may use {LanguageModelOptions().daily_tokens:,} a day,"
        " unless core.languageModel says otherwise."
    )


def summed(used: Iterable[tuple[date, Usage]]) -> list[Cost]:
    """Return the uses summed up by day, purpose and plugin, newest day first."""
    rows: dict[tuple[str, str, str], Cost] = {}
    for day, usage in used:
        key = (day.isoformat(), usage.purpose, usage.plugin)
        row = rows.setdefault(key, Cost(*key))
        row.uses += 1
        row.failed += usage.outcome not in (ANSWERED, CANCELLED)
        row.prompt_tokens += usage.prompt_tokens
        row.answer_tokens += usage.answer_tokens
        row.seconds += usage.seconds
    by_purpose = sorted(rows.values(), key=lambda row: (row.purpose, row.plugin))
    return sorted(by_purpose, key=lambda row: row.day, reverse=True)


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


def cost_table(rows: list[Cost]) -> Table:
    """Return the rows as a table for people, with their sum at the end."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_footer=True)
    whole = total(rows)
    columns = {
        "day": "total",
        "purpose": "",
        "plugin": "",
        "uses": f"{whole.uses:,}",
        "failed": f"{whole.failed:,}",
        "prompt tokens": f"{whole.prompt_tokens:,}",
        "answer tokens": f"{whole.answer_tokens:,}",
        "seconds": f"{whole.seconds:,.1f}",
    }
    for number, (heading, footer) in enumerate(columns.items()):
        table.add_column(heading, footer=footer, justify="left" if number < 3 else "right")
    for row in rows:
        table.add_row(
            row.day,
            escape(row.purpose),
            escape(row.plugin),
            f"{row.uses:,}",
            f"{row.failed:,}",
            f"{row.prompt_tokens:,}",
            f"{row.answer_tokens:,}",
            f"{row.seconds:,.1f}",
        )
    return table


def _row(row: Cost) -> dict[str, Any]:
    return {**asdict(row), "seconds": round(row.seconds, 3)}
