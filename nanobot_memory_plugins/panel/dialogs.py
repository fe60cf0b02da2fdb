"""The dialogs: a confirmation, and a form for an entry."""

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Static, TextArea

from nanobot_memory_plugins.core.values.entries import Entry
from nanobot_memory_plugins.redaction.script.messages import tr

# The typed values, by the names of the fields.
FormValues = dict[str, str]


class Confirm(ModalScreen[bool]):
    """A confirmation dialog."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", show=False),
        Binding("n,escape,q", "answer(False)", show=False),
    ]

    def __init__(self, question: str, lines: Sequence[str]) -> None:
        super().__init__()
        self._question, self._lines = question, lines

    def compose(self) -> ComposeResult:
        """Compose the widgets."""
        with Vertical(classes="dialog"):
            yield Label(self._question, classes="title", markup=False)
            with VerticalScroll(can_focus=False):
                yield Static("\n".join(f"• {line}" for line in self._lines), markup=False)
            with Horizontal(classes="buttons"):
                yield Button(tr("Yes (y)"), variant="primary", id="yes", compact=True)
                yield Button(tr("No (n)"), id="no", compact=True)

    def action_answer(self, answer: bool) -> None:
        """Close with an answer."""
        self.dismiss(answer)

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")


class EntryForm(ModalScreen[None]):
    """A form for a changed or a new entry.

    ``save`` writes the values and returns whether that succeeded. If not, the form stays open.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", show=False),
        Binding("escape", "cancel", show=False, priority=True),
    ]

    def __init__(
        self,
        title: str,
        save: Callable[[FormValues], Awaitable[bool]],
        entry: Entry | None = None,
    ) -> None:
        super().__init__()
        self._title, self._save, self._entry = title, save, entry

    def compose(self) -> ComposeResult:
        """Compose the widgets. A new entry has only a text and a group."""
        entry = self._entry
        fields = [("group", tr("Group"), entry.group if entry else "")]
        if entry is not None:
            fields += [("category", tr("Category"), entry.category), ("score", tr("Score"), f"{entry.score:.2f}")]
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield TextArea(entry.content if entry else "", id="text", soft_wrap=True, tab_behavior="focus")
            for name, label, value in fields:
                with Horizontal(classes="field"):
                    yield Label(label)
                    yield Input(value, id=name, compact=True)
            with Horizontal(classes="buttons"):
                yield Button(tr("Save (ctrl+s)"), variant="primary", id="yes", compact=True)
                yield Button(tr("Cancel (esc)"), id="no", compact=True)

    def on_mount(self) -> None:
        """Put the cursor at the end of the text."""
        area = self.query_one(TextArea)
        area.move_cursor(area.document.end)
        area.focus()

    def action_save(self) -> None:
        """Save the values, and close the form on success."""
        values = {str(field.id): field.value.strip() for field in self.query(Input)}
        values["text"] = self.query_one(TextArea).text

        async def save() -> None:
            if await self._save(values):
                self.dismiss(None)

        self.run_worker(save(), group="save", exclusive=True)

    def action_cancel(self) -> None:
        """Close without saving."""
        self.dismiss(None)

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.action_save() if event.button.id == "yes" else self.action_cancel()

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.action_save()
