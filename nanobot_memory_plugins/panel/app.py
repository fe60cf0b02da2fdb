"""The panel as a Textual application."""

import os
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.filter import LineFilter
from textual.widgets import ContentSwitcher, Static

from nanobot_memory_plugins.core.values import EntryRun
from nanobot_memory_plugins.panel.dialogs import Confirm, Help
from nanobot_memory_plugins.panel.language import PanelWords
from nanobot_memory_plugins.panel.memory import PanelMemory, reason_of
from nanobot_memory_plugins.panel.style import BAR_LINES, PHONE_BELOW, PHONE_LINES, STYLE, WIDE_FROM
from nanobot_memory_plugins.panel.views.base import View
from nanobot_memory_plugins.panel.views.cost import CostView
from nanobot_memory_plugins.panel.views.entry_detail import undo_lines
from nanobot_memory_plugins.panel.views.health import HealthView
from nanobot_memory_plugins.panel.views.history import HistoryView
from nanobot_memory_plugins.panel.views.memories import MemoriesView
from nanobot_memory_plugins.panel.views.notes import NotesView
from nanobot_memory_plugins.panel.views.plugins import PluginsView
from nanobot_memory_plugins.panel.views.profile import ProfileView
from nanobot_memory_plugins.panel.views.search import SearchView
from nanobot_memory_plugins.panel.views.sessions import SessionsView
from nanobot_memory_plugins.panel.views.stats import StatsView
from nanobot_memory_plugins.panel.views.timeline import TimelineView
from nanobot_memory_plugins.panel.widgets.bars import VIEW_KEYS, BarKey, KeyBar, ViewBar
from nanobot_memory_plugins.panel.widgets.drawable import AsciiFilter, ControlFilter

VIEWS: dict[str, type[View]] = {
    "memories": MemoriesView,
    "search": SearchView,
    "notes": NotesView,
    "sessions": SessionsView,
    "plugins": PluginsView,
    "health": HealthView,
    "cost": CostView,
    "history": HistoryView,
    "timeline": TimelineView,
    "profile": ProfileView,
    "stats": StatsView,
}
POLL_SECONDS = 1.0
# What Textual calls keys that are no letters.
_KEY_NAMES = {"-": "minus"}


class PanelApp(App[None]):
    """Shows the memory of one workspace, and changes it on behalf of who sits before it.

    With ``is_ascii`` nothing but ASCII is drawn. Every ``poll_seconds`` the view that is shown looks whether what it
    shows has changed; 0 turns that off.
    """

    CSS = STYLE
    TITLE = "nanobot-memory"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE_FROM, "-wide")]  # noqa: RUF012  # as App has it
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(f"{_KEY_NAMES.get(key, key)},f{number}", f"show('{view}')", show=False)
            for number, (key, view) in enumerate(zip(VIEW_KEYS, VIEWS, strict=True), 2)
        ),
        Binding("f1,question_mark", "help", show=False),
        Binding("q,ctrl+c,ctrl+q", "quit", show=False),
        Binding("ctrl+p", "pause", show=False),
        Binding("left_square_bracket", "next(-1)", show=False),
        Binding("right_square_bracket", "next(1)", show=False),
    ]

    def __init__(
        self, memory: PanelMemory, words: PanelWords, *, is_ascii: bool = False, poll_seconds: float = POLL_SECONDS
    ) -> None:
        super().__init__()
        self.memory = memory
        self.words = words
        self._line_filters: list[LineFilter] = [ControlFilter(), *([AsciiFilter()] if is_ascii else [])]
        self._poll_seconds = poll_seconds
        self._polling = False
        self._is_opening = True
        self.views = {name: view(memory, words, id=name) for name, view in VIEWS.items()}
        self.title_bar = Static(id="title", markup=False)
        self.view_bar = ViewBar(id="views", markup=False)
        self.key_bar = KeyBar(id="keys", markup=False)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what is done to each line before it is drawn."""
        return [*super().get_line_filters(), *self._line_filters]

    def compose(self) -> ComposeResult:
        """Compose the widgets."""
        yield self.title_bar
        yield self.view_bar
        with ContentSwitcher(initial="memories"):
            yield from self.views.values()
        yield self.key_bar

    @property
    def current(self) -> View:
        """The view that is shown."""
        return self.views[self.query_one(ContentSwitcher).current or "memories"]

    # --- life -------------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Show what there is at once, and open plugins and index meanwhile."""
        self._show_bars()
        self.current.focus_list()
        self.run_worker(self._open(), group="open")

    async def _open(self) -> None:
        try:
            await self.memory.open()
        except Exception as error:
            self.complain(error)
        self._is_opening = False
        await self.current.refresh_view(force=True)
        self._show_bars()
        if self._poll_seconds > 0:
            self.set_interval(self._poll_seconds, self._poll)

    async def _poll(self) -> None:
        # In a worker: nothing that is slow may hold up the keys.
        if not self._polling:
            self.run_worker(self._look(), group="poll")

    async def _look(self) -> None:
        self._polling = True
        try:
            await self.current.refresh_view()
        finally:
            self._polling = False

    async def on_unmount(self) -> None:
        """Close the index."""
        await self.memory.close()

    def on_app_blur(self, event: events.AppBlur) -> None:
        """Keep the keyboard where it was: behind the web form, a page that begins counts as left."""
        event.prevent_default()

    def on_resize(self, event: events.Resize) -> None:
        """Fit the bars."""
        self._show_bars(event.size.width, event.size.height)

    # --- moving about -----------------------------------------------------------------------------------------

    async def action_show(self, name: str) -> None:
        """Show a view."""
        if len(self.screen_stack) > 1:
            return
        self.query_one(ContentSwitcher).current = name
        self._show_bars()
        self.current.focus_list()
        self.run_worker(self.current.refresh_view(), group=f"show {name}", exclusive=True)

    async def action_next(self, step: int) -> None:
        """Show the next view, or the one before."""
        names = list(VIEWS)
        await self.action_show(names[(names.index(self.current.id or "") + step) % len(names)])

    def action_help(self) -> None:
        """Show all keys."""
        t = self.words
        everywhere = [
            BarKey("1 … 9 0 -", "", t("Show a view (F2 … F12 in a field, too)")),
            BarKey("[ ]", "", t("View before, next view")),
            BarKey("tab", "", t("Between list and detail")),
            BarKey("esc", "", t("Back")),
            BarKey("ctrl+p", "", t("Pause the memory, or go on with it")),
            BarKey("q", "", t("Quit")),
        ]
        parts = [(t(view.name_of_view), view.key_list()) for view in self.views.values() if view.key_list()]
        current = t(self.current.name_of_view)
        parts.sort(key=lambda part: part[0] != current)
        self.push_screen(Help(t("Keys"), [*parts[:1], (t("Everywhere"), everywhere), *parts[1:]]))

    def _show_bars(self, width: int = 0, height: int = 0) -> None:
        width, height, t = width or self.size.width, height or self.size.height, self.words
        is_phone = width < PHONE_BELOW and height >= PHONE_LINES
        workspace = _from_home(str(self.memory.workspace))
        title = Text(" nanobot-memory ", "bold", no_wrap=True, overflow="ellipsis")
        room = max(8, width - 18)
        title.append(workspace if len(workspace) <= room else "…" + workspace[-room + 1 :], "dim")
        if self._is_opening:
            title.append(f"  {t('opening …')}", "yellow")
        if self.memory.is_paused():
            title.append(f"  {t('paused')}", "yellow")
        self.title_bar.update(title)
        self.view_bar.show(
            [(name, t(view.name_of_view)) for name, view in VIEWS.items()],
            self.current.id or "memories",
            width,
            BAR_LINES if is_phone else 2,
        )
        prefix = self.current.id or ""
        keys = [BarKey(key.key, f"app.press('{prefix}', '{key.action}')", key.label) for key in self.current.key_list()]
        self.key_bar.show(
            [*keys, BarKey("q", "app.quit", t("Quit")), BarKey("?", "app.help", t("All keys"))],
            width,
            BAR_LINES if is_phone else 1,
        )

    async def action_press(self, view: str, action: str) -> None:
        """Do what a key of a view does, for the mouse."""
        await self.run_action(action, self.views[view])

    # --- doing ------------------------------------------------------------------------------------------------

    def change(self, work: Callable[[], object], done: str, then: Callable[[], None] = lambda: None) -> None:
        """Do in a thread what changes something, say that it is done, and show it. What fails is said instead."""
        self.run_worker(self.changed(work, done, then), group="change")

    async def changed(self, work: Callable[[], object], done: str, then: Callable[[], None] = lambda: None) -> bool:
        """Do the same, and return whether it went well once it is shown."""
        failed = False
        try:
            result = await self.memory.run(work)
        except Exception as error:
            failed = True
            self.complain(error)
        else:
            self.say(done if result is not None else self.words("Nothing changed."))
            then()
        await self.current.refresh_view(force=True)
        return not failed

    def action_pause(self) -> None:
        """Keep nothing from now on, or keep again what is said."""
        t, pauses = self.words, not self.memory.is_paused()
        done = t("The memory is paused: nothing is kept.") if pauses else t("The memory goes on.")
        self.change(lambda: self.memory.pause(pauses), done, self._show_bars)

    def ask_undo(self, run: EntryRun) -> None:
        """Take a run back, when that is meant."""
        access, t = self.memory.entries, self.words

        def answered(yes: bool | None) -> None:
            if yes and access is not None:
                self.change(lambda: access.undo(run.id), t("Undone."))

        self.push_screen(Confirm(t("Undo this?"), undo_lines(run, t), t), answered)

    def say(self, text: str, *, severity: Literal["information", "warning", "error"] = "information") -> None:
        """Say something for a few seconds."""
        self.notify(text, severity=severity, markup=False, timeout=4)

    def complain(self, error: BaseException) -> None:
        """Say what went wrong, and what helps."""
        self.notify(reason_of(error, self.words), severity="error", markup=False, timeout=10)


def _from_home(path: str) -> str:
    """Return a path with the home folder as ``~``."""
    home = os.path.expanduser("~")  # it never raises
    return "~" + path[len(home) :] if path.startswith(home + os.sep) else path
