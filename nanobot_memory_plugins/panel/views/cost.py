"""What the language model was used for, by day."""

from typing import Any

from rich.text import Text

from nanobot_memory_plugins.core.cli import PURPOSE_WORDS, Cost
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.panel.memory import COST_DAYS
from nanobot_memory_plugins.panel.views.base import View
from nanobot_memory_plugins.panel.widgets.chart import bar
from nanobot_memory_plugins.panel.widgets.row_list import Column, RowList

_THOUSAND = 1_000


class CostView(View):
    """What the language model was used for."""

    name_of_view = "Cost"

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._costs: list[Cost] = []

    def rows(self) -> RowList[Any]:
        """Return the list."""
        t = self.words
        return RowList[Cost](
            (
                Column(t("Day"), 10),
                Column(t("Purpose"), 16),
                Column(t("Plugin"), 14, from_width=72),
                Column(t("Uses"), 5, right=True),
                Column(t("Failed"), 6, right=True, from_width=60),
                Column(t("Prompt"), 8, right=True),
                Column(t("Answer"), 8, right=True, from_width=60),
                Column(t("Seconds"), 8, right=True, from_width=90),
            ),
            lambda one: (
                one.day,
                self.words(one.purpose) if one.purpose in PURPOSE_WORDS else one.purpose,
                one.plugin,
                f"{one.uses:,}",
                Text(f"{one.failed:,}", "red" if one.failed else "dim"),
                f"{one.prompt_tokens:,}",
                f"{one.answer_tokens:,}",
                f"{one.seconds:,.1f}",
            ),
            key=lambda one: f"{one.day} {one.purpose} {one.plugin}",
            empty=t("The language model was not used."),
        )

    def version(self) -> str:
        """Return a text that changes with the records."""
        last = StateDatabase.of(self.memory.paths).read("SELECT coalesce(max(id), 0) FROM event")[0][0]
        return f"{last} {self.memory.clock.now().date()}"

    async def load(self) -> None:
        """Read the uses."""
        self._costs = await self.memory.run(self.memory.costs)
        self.list.set_rows(self._costs)
        uses = sum(one.uses for one in self._costs)
        tokens = sum(map(_tokens, self._costs))
        said = self.words("{days} days: {n} uses, about {m} tokens", days=COST_DAYS, n=f"{uses:,}", m=f"{tokens:,}")
        self.line.update(Text(f" {said}"))

    async def detail(self, row: Cost) -> Text:
        """Return the tokens of each day as bars, and those of each purpose on the day under the cursor."""
        text, width = Text(), self.pane.text_width
        days: dict[str, int] = {}
        for one in self._costs:
            days[one.day] = days.get(one.day, 0) + _tokens(one)
        highest = max(days.values(), default=0)
        text.append(self.words("Tokens by day") + "\n", "bold")
        for day, tokens in days.items():
            style = "bold cyan" if day == row.day else "cyan"
            text.append(f"{day} ", "bold" if day == row.day else "dim")
            text.append(bar(tokens, max(5, width - 20), highest=highest), style).append(f" {_short(tokens)}\n")
        text.append("\n" + self.words("By purpose on {day}", day=row.day) + "\n", "bold")
        for one in self._costs:
            if one.day == row.day:
                purpose = self.words(one.purpose) if one.purpose in PURPOSE_WORDS else one.purpose
                text.append(f"{purpose} ").append(f"({one.plugin}) ", "dim").append(f"{_short(_tokens(one))}\n")
        return text.append("\n" + self.words("Tokens are estimates; days are in UTC."), "dim")


def _tokens(cost: Cost) -> int:
    return cost.prompt_tokens + cost.answer_tokens


def _short(number: int) -> str:
    return f"{number / _THOUSAND:,.1f}k" if number >= _THOUSAND else str(number)
