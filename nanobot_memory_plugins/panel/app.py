"""The panel as a Textual application."""

import os
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

from rich.segment import Segment
from rich.text import Text
from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.filter import LineFilter
from textual.widgets import ContentSwitcher, Footer, Input, Static, Tab, Tabs

from nanobot_memory_plugins.core.cli.console import printable_segment
from nanobot_memory_plugins.core.files.privacy_marks import BY_WORDS
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.core.values.entries import EntryRun
from nanobot_memory_plugins.panel.dialogs import Confirm
from nanobot_memory_plugins.panel.memory import PanelMemory, error_text
from nanobot_memory_plugins.panel.views.base import View
from nanobot_memory_plugins.panel.views.forgetting import ForgettingView
from nanobot_memory_plugins.panel.views.health import HealthView
from nanobot_memory_plugins.panel.views.history import HistoryView, run_line
from nanobot_memory_plugins.panel.views.memories import MemoriesView
from nanobot_memory_plugins.panel.views.search import SearchView
from nanobot_memory_plugins.panel.views.sessions import SessionsView
from nanobot_memory_plugins.redaction.script.messages import tr

# The terminal width, in columns, from which list and detail are side by side.
WIDE_COLUMNS = 110

STYLE = """
#title { height: 1; background: $panel; }
ContentSwitcher { height: 1fr; }
.view { height: 1fr; }
.halves { height: 1fr; layout: vertical; }
.half { height: 3fr; }
.detail { height: 2fr; border-top: solid $primary-darken-2; padding: 0 1; scrollbar-size-vertical: 1; }
.detail:focus { border-top: solid $accent; }
.line { height: auto; max-height: 4; background: $boost; }
DataTable { height: 1fr; scrollbar-size-vertical: 1; overflow-x: hidden; }
View > Input { height: 1; padding: 0 1; background: $boost; border: none; }
.hidden { display: none; }
.-wide .halves { layout: horizontal; }
.-wide .half { width: 3fr; height: 1fr; }
.-wide .detail { width: 2fr; height: 1fr; border-top: none; border-left: solid $primary-darken-2; }

ModalScreen { align: center middle; }
.dialog {
    width: 90%; max-width: 84; height: auto; max-height: 92%;
    background: $surface; border: round $primary; padding: 0 1;
}
.dialog .title { text-style: bold; width: 100%; margin-bottom: 1; }
.dialog VerticalScroll { height: auto; max-height: 12; }
.dialog TextArea { height: 7; margin-bottom: 1; }
.field { height: 1; }
.field Label { width: 12; color: $text-muted; }
.field Input { width: 1fr; height: 1; border: none; background: $boost; }
.buttons { height: 1; margin-top: 1; align-horizontal: right; }
.buttons Button { margin-left: 2; }
"""


VIEWS: dict[str, type[View]] = {
    "memories": MemoriesView,
    "search": SearchView,
    "history": HistoryView,
    "sessions": SessionsView,
    "forgetting": ForgettingView,
    "health": HealthView,
}
POLL_SECONDS = 1.0
# Actions that the footer has no room for; the list of all keys shows them.
_HIDDEN_ACTIONS = ("confirm", "restore", "section", "sort")


class ControlFilter(LineFilter):
    """Removes control characters from every line, whichever widget drew it."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return segments of the same width without control characters."""
        return [printable_segment(segment) for segment in segments]


class PanelApp(App[None]):
    """Shows the memory of one workspace, and changes it for the user.

    Every ``poll_seconds`` the current view checks for changes; 0 turns that off.
    """

    CSS = STYLE
    TITLE = "nanobot-memory"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE_COLUMNS, "-wide")]  # noqa: RUF012  # as in App
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c,ctrl+q", "quit", show=False)]

    def __init__(self, memory: PanelMemory, *, poll_seconds: float = POLL_SECONDS) -> None:
        super().__init__()
        self.memory = memory
        self._line_filters: list[LineFilter] = [ControlFilter()]
        self._poll_seconds = poll_seconds
        self.views = {
            name: view(memory, id=name)
            for name, view in VIEWS.items()
            if not view.needs or getattr(memory.plugins, view.needs) is not None
        }
        self.title_bar = Static(id="title", markup=False)
        for n, (name, view) in enumerate(self.views.items(), 1):
            self.bind(f"{n},f{n + 1}", f"show('{name}')", description=tr(view.name_of_view), show=False)
        for key, name, label in (
            ("e", "edit", tr("Edit")),
            ("f,delete", "forget", tr("Forget")),
            ("n", "new", tr("New")),
            ("u", "undo", tr("Undo")),
            ("slash", "ask", tr("Filter")),
            ("h", "history", tr("History")),
            ("g", "again", tr("Look again")),
            ("c", "confirm", tr("Confirm")),
            ("r", "restore", tr("Restore")),
            ("a", "section", tr("Archive")),
            ("s", "sort", tr("Sort")),
        ):
            # "/" has priority over the list, so that text typed right after it goes into the field.
            is_shown = name not in _HIDDEN_ACTIONS
            self._bindings.bind(key, f"do('{name}')", label, show=is_shown, priority=name == "ask")
        self.bind("escape", "do('plain')", show=False)
        self.bind("ctrl+p", "pause", description=tr("Pause"))
        self.bind("q", "quit", description=tr("Quit"))
        self.bind("question_mark,f1", "keys", description=tr("All keys"))

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters that are applied to each line before it is drawn."""
        return [*super().get_line_filters(), *self._line_filters]

    def compose(self) -> ComposeResult:
        """Compose the widgets."""
        yield self.title_bar
        numbered = enumerate(self.views.items(), 1)
        yield Tabs(*(Tab(f"{n} {tr(view.name_of_view)}", id=f"tab-{name}") for n, (name, view) in numbered))
        with ContentSwitcher(initial=next(iter(self.views))):
            yield from self.views.values()
        yield Footer(compact=True, show_command_palette=False)

    @property
    def current(self) -> View:
        """The current view."""
        return self.views[str(self.query_one(ContentSwitcher).current)]

    # --- start and refresh ------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Show the first view, and refresh it regularly."""
        self.query_one(Tabs).can_focus = False
        self._show_title()
        self.current.focus_list()
        self._refresh_current()
        if self._poll_seconds > 0:
            self.set_interval(self._poll_seconds, self._refresh_current)

    def _refresh_current(self) -> None:
        # In a worker, so that slow work does not delay keys.
        if not any(worker.group == "refresh" for worker in self.workers):
            self.run_worker(self.current.refresh_view(), group="refresh")

    def on_app_blur(self, event: events.AppBlur) -> None:
        """Keep the focus. In the browser, a page that is starting counts as blurred."""
        event.prevent_default()

    def _show_title(self) -> None:
        home, workspace = os.path.expanduser("~"), str(self.memory.paths.workspace)
        title = Text(no_wrap=True, overflow="ellipsis").append(" nanobot-memory ", "bold")
        title.append("~" + workspace.removeprefix(home) if workspace.startswith(home + os.sep) else workspace, "dim")
        if self.memory.privacy.read().is_workspace_paused:
            title.append(f"  {tr('paused')}", "yellow")
        self.title_bar.update(title)

    # --- keys -------------------------------------------------------------------------------------------------

    async def action_show(self, name: str) -> None:
        """Show a view."""
        if len(self.screen_stack) > 1:
            return
        self.query_one(ContentSwitcher).current = name
        self.query_one(Tabs).active = f"tab-{name}"
        self.current.focus_list()
        self.refresh_bindings()
        self.current.begin(self.current.refresh_view)

    @on(Tabs.TabActivated)
    async def _tab_activated(self, event: Tabs.TabActivated) -> None:
        # Not the event's own tab: a late event would bring back a view that has been left.
        name = event.tabs.active.removeprefix("tab-")
        if name != self.current.id:
            await self.action_show(name)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether the current view has the action of a key."""
        if action != "do":
            return True
        is_typed = parameters[0] == "ask" and isinstance(self.focused, Input)
        return len(self.screen_stack) == 1 and not is_typed and hasattr(self.current, f"do_{parameters[0]}")

    def action_do(self, name: str) -> None:
        """Run the current view's action of a key."""
        getattr(self.current, f"do_{name}")()

    def action_keys(self) -> None:
        """Show or hide the list of all keys."""
        self.action_hide_help_panel() if self.screen.query("HelpPanel") else self.action_show_help_panel()

    def action_pause(self) -> None:
        """Pause or resume the memory of the workspace."""
        privacy, now = self.memory.privacy, self.memory.clock.now()
        is_paused = privacy.read().is_workspace_paused
        done = tr("The memory goes on.") if is_paused else tr("The memory is paused: nothing is kept.")

        def switch() -> bool:
            privacy.resume("", None) if is_paused else privacy.pause("", "", BY_WORDS, now)
            return True

        self.change(switch, done, self._show_title)

    # --- for the views ----------------------------------------------------------------------------------------

    def change(self, work: Callable[[], object], done: str, then: Callable[[], None] = lambda: None) -> None:
        """Start a change of the memory in a worker; see `apply_change`."""
        self.run_worker(self.apply_change(work, done, then), group="change")

    async def apply_change(
        self, work: Callable[[], object], done: str, then: Callable[[], None] = lambda: None
    ) -> bool:
        """Run ``work`` in a thread, refresh the view, and show ``done`` or the failure. Return whether it succeeded.

        A ``work`` that returns None has changed nothing.
        """
        try:
            result = await run_in_daemon_thread(work)
        except Exception as error:
            self.notify_error(error)
            await self.current.refresh_view(force=True)
            return False
        await self.current.refresh_view(force=True)  # first, so that the next key acts on the new list
        then()
        self.say(done if result is not None else tr("Nothing changed."))
        return True

    def ask(self, question: str, lines: Sequence[str], then: Callable[[], object]) -> None:
        """Ask a question, and call ``then`` if the answer is yes."""

        def handle_answer(is_yes: bool | None) -> None:
            if is_yes:
                then()

        self.push_screen(Confirm(question, lines), handle_answer)

    def ask_undo(self, run: EntryRun) -> None:
        """Undo a run after a confirmation."""
        states = (change.after or change.before for change in run.changes)
        lines = [run_line(run).plain, *(state.content for state in states if state is not None)]
        access = self.memory.entries
        self.ask(tr("Undo this?"), lines, lambda: self.change(lambda: access.undo(run.id), tr("Undone.")))

    async def show_history(self, entry_id: str) -> None:
        """Show one entry with its changes."""
        if isinstance(view := self.views["history"], HistoryView):
            view.entry_id, view.loaded_version = entry_id, None
        await self.action_show("history")

    async def show_forgetting(self, erasure: Erasure) -> None:
        """Show what an erasure would remove."""
        if isinstance(view := self.views["forgetting"], ForgettingView):
            view.show_plan(erasure)
        await self.action_show("forgetting")

    def say(self, text: str, *, severity: Literal["information", "warning", "error"] = "information") -> None:
        """Show a notification for a few seconds."""
        self.notify(text, severity=severity, markup=False, timeout=4)

    def notify_error(self, error: BaseException) -> None:
        """Show a notification with the cause of an error and a hint."""
        self.notify(error_text(error), severity="error", markup=False, timeout=10)
