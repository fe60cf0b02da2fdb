"""The dialogs: they ask, and return what was said, or None."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Static, TextArea

from nanobot_memory_plugins.core.values import EntryView
from nanobot_memory_plugins.panel.language import PanelWords
from nanobot_memory_plugins.panel.widgets.bars import BarKey
from nanobot_memory_plugins.panel.widgets.row_list import Column, RowList

_DECIMALS = 2


@dataclass(frozen=True, slots=True)
class Written:
    """What was typed into the form of an entry; the fields as texts."""

    text: str
    category: str
    group: str
    score: str


class Confirm(ModalScreen[bool]):
    """Asks whether to do something."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,enter", "answer(True)", show=False),
        Binding("n,escape,q", "answer(False)", show=False),
    ]

    def __init__(self, question: str, lines: Sequence[str], words: PanelWords) -> None:
        super().__init__()
        self._question, self._lines, self._words = question, lines, words

    def compose(self) -> ComposeResult:
        """Compose the widgets."""
        with Vertical(classes="dialog"):
            yield Label(self._question, classes="title", markup=False)
            with VerticalScroll(classes="lines", can_focus=False):
                yield Static("\n".join(f"• {line}" for line in self._lines), markup=False)
            with Horizontal(classes="buttons"):
                yield Button(self._words("Yes (y)"), variant="primary", id="yes", compact=True)
                yield Button(self._words("No (n)"), id="no", compact=True)

    def action_answer(self, answer: bool) -> None:
        """Close with an answer. Enter on a button means the button."""
        focused = self.focused
        if answer and isinstance(focused, Button) and focused.id == "no":
            answer = False
        self.dismiss(answer)

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")


class EntryForm(ModalScreen[None]):
    """A form for an entry: a new one, one that is changed, or what several are merged into.

    ``save`` writes what was typed and returns whether that went well; else the form stays, with all that was typed.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", show=False, priority=True),
        Binding("escape", "cancel", show=False, priority=True),
    ]

    def __init__(
        self,
        title: str,
        words: PanelWords,
        save: Callable[[Written], Awaitable[bool]],
        *,
        text: str = "",
        entry: EntryView | None = None,
    ) -> None:
        super().__init__()
        self._title, self._words, self._save, self._text, self._entry = title, words, save, text, entry

    def compose(self) -> ComposeResult:
        """Compose the widgets; a new text has no fields but its group."""
        t, entry = self._words, self._entry
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield TextArea(self._text, id="text", soft_wrap=True, tab_behavior="focus")
            with Horizontal(classes="field"):
                yield Label(t("Group"))
                yield Input(entry.group if entry else "", id="group", compact=True, placeholder="work/clients")
            if entry is not None:
                with Horizontal(classes="field"):
                    yield Label(t("Category"))
                    yield Input(entry.category, id="category", compact=True)
                with Horizontal(classes="field"):
                    yield Label(t("Score"))
                    yield Input(f"{entry.score:.{_DECIMALS}f}", id="score", compact=True)
            with Horizontal(classes="buttons"):
                yield Button(t("Save (ctrl+s)"), variant="primary", id="yes", compact=True)
                yield Button(t("Cancel (esc)"), id="no", compact=True)

    def on_mount(self) -> None:
        """Begin at the end of the text."""
        area = self.query_one(TextArea)
        area.move_cursor(area.document.end)
        area.focus()

    def action_save(self) -> None:
        """Save what was typed, and close once it is written."""

        def typed(name: str, default: str = "") -> str:
            found = self.query(f"#{name}").results(Input)
            return next((field.value.strip() for field in found), default)

        written = Written(self.query_one(TextArea).text, typed("category"), typed("group"), typed("score"))

        async def save() -> None:
            if await self._save(written):
                self.dismiss(None)

        self.run_worker(save(), group="save", exclusive=True)

    def action_cancel(self) -> None:
        """Close, and write nothing."""
        self.dismiss(None)

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.action_save() if event.button.id == "yes" else self.action_cancel()

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.action_save()


class Choose(ModalScreen[str | None]):
    """A list to choose from. A row is what it stands for and two cells; the cursor begins at the first or the last."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "cancel", show=False)]

    def __init__(
        self, title: str, columns: Sequence[Column], rows: Sequence[tuple[str, str, str]], *, at_end: bool = False
    ) -> None:
        super().__init__()
        self._title, self._columns, self._rows, self._at_end = title, columns, rows, at_end

    def compose(self) -> ComposeResult:
        """Compose the widgets."""
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield RowList[tuple[str, str, str]](
                self._columns, lambda row: row[1:], key=lambda row: f"={row[0]}", id="choices"
            )

    def on_mount(self) -> None:
        """Fill the list."""
        rows = self.query_one("#choices", RowList)
        rows.set_rows(self._rows)
        if self._at_end:
            rows.action_move_to(-1)
        rows.focus()

    def action_cancel(self) -> None:
        """Close with nothing."""
        self.dismiss(None)

    @on(RowList.Chosen)
    def _chosen(self) -> None:
        row = self.query_one("#choices", RowList).current
        self.dismiss(row[0] if row else None)


class Help(ModalScreen[None]):
    """All keys, by view."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark,enter,f1", "close", show=False)]

    def __init__(self, title: str, parts: Sequence[tuple[str, Sequence[BarKey]]]) -> None:
        super().__init__()
        self._title, self._parts = title, parts

    def compose(self) -> ComposeResult:
        """Compose the widgets."""
        text = Text()
        for heading, keys in self._parts:
            text.append(f"{heading}\n", "bold")
            for key in keys:
                text.append(f"  {key.key:<10}", "bold cyan")
                text.append(f"{key.label}\n")
            text.append("\n")
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            with VerticalScroll():
                yield Static(text)

    def action_close(self) -> None:
        """Close."""
        self.dismiss(None)


class ProfileReport(ModalScreen[None]):
    """What is known of the user, or about a name that is typed. ``tell`` returns the text for a name, or for none."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", show=False, priority=True)]

    def __init__(self, tell: Callable[[str], Awaitable[str]], words: PanelWords) -> None:
        super().__init__()
        self._tell, self._words = tell, words

    def compose(self) -> ComposeResult:
        """Compose the widgets."""
        t = self._words
        with Vertical(classes="dialog"):
            yield Label(t("What is known"), classes="title")
            yield Input(placeholder=t("About whom or what? Empty: about you"), id="about", compact=True)
            with VerticalScroll():
                yield Static("", id="told", markup=False)

    def on_mount(self) -> None:
        """Begin with the user."""
        self._show("")

    @on(Input.Changed, "#about")
    def _typed(self, event: Input.Changed) -> None:
        self._show(event.value.strip())

    def _show(self, about: str) -> None:
        async def show() -> None:
            told = await self._tell(about)
            self.query_one("#told", Static).update(told or self._words("Nothing is known about {name}.", name=about))

        self.run_worker(show(), group="profile", exclusive=True)

    def action_close(self) -> None:
        """Close."""
        self.dismiss(None)
