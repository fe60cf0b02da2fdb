"""Forgetting a message or a note for good where one reads it, after a look at the lines that go."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual.binding import Binding, BindingType

from nanobot_memory_plugins.core import Hit
from nanobot_memory_plugins.core.erasure import is_short
from nanobot_memory_plugins.panel.dialogs import Choose, Confirm
from nanobot_memory_plugins.panel.views.base import View
from nanobot_memory_plugins.panel.widgets.bars import BarKey
from nanobot_memory_plugins.panel.widgets.row_list import Column

# Lines of a file that are shown before it is forgotten, and what a list shows of a text.
_LINES, _SEEN = 5, 300


@dataclass(frozen=True, slots=True)
class Forgettable:
    """A message or a note: when and whose it is, in a word or two, and the texts that it consists of."""

    label: str
    texts: tuple[str, ...]


class ForgettingView(View):
    """A view whose rows hold messages or notes. Where a row holds several, one of them is chosen first."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f,delete", "forget", show=False)]

    async def forgettable(self, row: Any) -> Sequence[Forgettable]:
        """Return the messages or notes of a row, as they stand in the pane."""
        raise NotImplementedError

    def key_list(self) -> list[BarKey]:
        """Return the keys."""
        return [BarKey("f", "forget", self.words("Forget"))]

    def action_forget(self) -> None:
        """Forget a message or note of the row under the cursor for good."""
        if self.list.current is not None:
            self.run_worker(self._choose(self.list.current), group="ask", exclusive=True)

    async def _choose(self, row: Any) -> None:
        t = self.words
        try:
            found = [one for one in await self.forgettable(row) if any(map(_says_something, one.texts))]
        except Exception as error:
            self.panel.complain(error)
            return
        if not found:
            self.panel.say(t("Nothing here was written by this program: change the file itself."), severity="warning")
            return
        if len(found) == 1:
            self._ask(found[0])
            return

        def chosen(number: str | None) -> None:
            if number is not None:
                self._ask(found[int(number)])

        columns = (Column("", 16), Column(t("Text"), 0))
        rows = [(str(number), one.label, " ".join(one.texts)[:_SEEN]) for number, one in enumerate(found)]
        self.app.push_screen(Choose(t("Forget which one?"), columns, rows, at_end=self.shows_end), chosen)

    def _ask(self, one: Forgettable) -> None:
        texts = tuple(text for text in one.texts if not is_short(text))
        if texts:
            self.run_worker(self._ask_to_forget(texts), group="ask", exclusive=True)
        else:
            self.panel.say(self.words("It is too short to be forgotten by its words."), severity="warning")

    async def _ask_to_forget(self, texts: Sequence[str]) -> None:
        t = self.words
        try:
            plan = await self.memory.erase(texts, dry_run=True)
        except Exception as error:
            self.panel.complain(error)
            return
        if plan is None or not plan.removed:
            self.panel.say(t("Nothing that is kept here holds these words."), severity="warning")
            return
        lines = [
            t("{where}, line {n}: {held}", where=one.where, n=held.line, held=held.text)
            for one in plan.removed
            for held in one.lines[:_LINES]
        ]

        def answered(yes: bool | None) -> None:
            if yes:
                self.run_worker(self._forget(texts), group="forget", exclusive=True)

        self.app.push_screen(Confirm(t("Forget this for good? It cannot be undone."), lines, t), answered)

    async def _forget(self, texts: Sequence[str]) -> None:
        t = self.words
        try:
            plan = await self.memory.erase(texts, dry_run=False)
        except Exception as error:
            self.panel.complain(error)
            return
        waits = plan is not None and plan.waits
        self.panel.say(t("Forgotten but for what could not be removed yet.") if waits else t("Forgotten for good."))
        await self.refresh_view(force=True)


def _says_something(text: str) -> bool:
    """Return whether a text is more than the marks that a forgotten one leaves."""
    return any(letter.isalnum() for letter in text)


def parts_of(hit: Hit) -> tuple[str, ...]:
    """Return the texts of a memory: between the line of a note that says it all and its details, a file has more."""
    rest = hit.text.removeprefix(hit.tldr).strip()
    return tuple(filter(None, (hit.tldr, rest))) if hit.tldr and hit.text.startswith(hit.tldr) else (hit.text,)
