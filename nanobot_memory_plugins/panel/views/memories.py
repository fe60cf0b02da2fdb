"""The scored memories: by group, score and age, with what became of each."""

import time
from typing import Any, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from nanobot_memory_plugins.core import EntryAccess, Origin
from nanobot_memory_plugins.core.erasure import ErasurePlan, plan_in_files
from nanobot_memory_plugins.core.values import EntryEdit, EntryView, Erasure, Profile
from nanobot_memory_plugins.panel.dialogs import Choose, Confirm, EntryForm, ProfileReport, Written
from nanobot_memory_plugins.panel.language import PanelWords
from nanobot_memory_plugins.panel.memory import reason_of
from nanobot_memory_plugins.panel.views.base import View
from nanobot_memory_plugins.panel.views.entry_detail import entry_text, is_undoable
from nanobot_memory_plugins.panel.views.entry_list import NO_GROUP, ORDERS, SECTIONS, Listing
from nanobot_memory_plugins.panel.views.profile import told_of
from nanobot_memory_plugins.panel.widgets.bars import BarKey
from nanobot_memory_plugins.panel.widgets.chart import bar
from nanobot_memory_plugins.panel.widgets.row_list import Column, RowList
from nanobot_memory_plugins.redaction.script.printable import printable

_BAR = 8
_HISTORY_RUNS = 8
# Lines of a file that are shown of what stays, and seconds for looking for them.
_SHOWN, _LOOK_SECONDS = 5, 1.0


class MemoriesView(View):
    """The scored memories."""

    name_of_view = "Memories"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e,enter", "edit", show=False),
        Binding("n", "new", show=False),
        Binding("m", "merge", show=False),
        Binding("f,delete", "forget", show=False),
        Binding("r", "restore", show=False),
        Binding("u", "undo", show=False),
        Binding("space", "mark", show=False),
        Binding("g", "group", show=False),
        Binding("s", "sort", show=False),
        Binding("a", "section", show=False),
        Binding("p", "profile", show=False),
        Binding("c", "confirm", show=False),
        Binding("slash", "filter", show=False),
        Binding("escape", "plain", show=False),
    ]

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._listing = Listing()
        self._section, self._order, self._group = SECTIONS[0], ORDERS[0], ""

    def rows(self) -> RowList[Any]:
        """Return the list."""
        t = self.words
        return RowList[EntryView](
            (
                Column(t("Score"), 5, right=True),
                Column("", _BAR, from_width=90),
                Column(t("Age"), 5, right=True),
                Column(t("Group"), 14, from_width=56),
                Column(t("Text"), 0),
            ),
            self._cells,
            key=lambda entry: entry.id,
            dim=lambda entry: entry.archived or entry.gone,
            empty=t("There is nothing here."),
        )

    def above(self) -> ComposeResult:
        """Yield the filter, which shows itself when it is wanted."""
        yield Input(placeholder=self.words("Only what holds these words"), id="filter", compact=True, classes="hidden")

    def key_list(self) -> list[BarKey]:
        """Return the keys."""
        t = self.words
        return [
            BarKey("e", "edit", t("Edit")),
            BarKey("f", "forget", t("Forget")),
            BarKey("m", "merge", t("Merge")),
            BarKey("u", "undo", t("Undo")),
            BarKey("/", "filter", t("Filter")),
            BarKey("g", "group", t("Group")),
            BarKey("s", "sort", t("Sort")),
            BarKey("a", "section", t("Archive")),
            BarKey("space", "mark", t("Mark")),
            BarKey("r", "restore", t("Restore")),
            BarKey("n", "new", t("New")),
            BarKey("p", "profile", t("Profile")),
            BarKey("c", "confirm", t("Confirm")),
        ]

    # --- reading ----------------------------------------------------------------------------------------------

    def version(self) -> str:
        """Return a text that changes with the entries."""
        return self.memory.entries.version() if self.memory.entries is not None else ""

    async def load(self) -> None:
        """Read the entries."""
        access = self.memory.entries
        if access is not None:
            self._listing = await self.memory.run(lambda: Listing.of(access))
        self._select()

    def _select(self) -> None:
        words = self.query_one("#filter", Input).value
        found = self._listing.select(self._section, self._order, self._group, words)
        self.list.set_rows(found)
        self._say(len(found))

    def _say(self, count: int) -> None:
        t = self.words
        group = t("no group") if self._group == NO_GROUP else self._group or t("all groups")
        sections = {"active": t("Active"), "archived": t("Archived"), "forgotten": t("Forgotten"), "all": t("All")}
        orders = {"score": t("by score"), "age": t("by age"), "group": t("by group")}
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append(f" {t(sections[self._section])}", "bold").append(f" · {group} · {t(orders[self._order])} · ")
        line.append(f"{count:,}", "bold").append(f" / {len(self._listing.all):,}")
        if self.memory.is_open and self.memory.entries is None:
            line = Text(t(" No plugin keeps scored memories: install nanobot-memory-consolidation."), "yellow")
        elif self._listing.problems:
            line.append(f"  {self._listing.file}: {self._listing.problems[0]}", "yellow")
        self.line.update(line)

    def _cells(self, entry: EntryView) -> list[Text | str]:
        begun = entry.created_at or entry.last_used
        return [
            f"{entry.score:.2f}",
            Text(bar(entry.score, _BAR), "cyan"),
            self.words.age(begun, self.memory.clock.now()),
            entry.group,
            entry.text,
        ]

    async def detail(self, row: EntryView) -> Text:
        """Return what is known of an entry."""
        access = self.memory.entries
        if access is None:
            return Text()
        width = self.pane.text_width
        scores, runs = await self.memory.run(
            lambda: (access.scores(row.id, points=max(10, width - 6)), access.history(row.id, limit=_HISTORY_RUNS))
        )
        return entry_text(row, scores, runs, self.words, self.memory.clock.now())

    def nothing(self) -> Text:
        """Return what helps when there is nothing."""
        if self._listing.all:
            return Text(self.words("Other sections: a. Other groups: g."), "dim")
        return Text(self.words("Nothing is remembered yet. Press n to write something down."), "dim")

    # --- what people do ---------------------------------------------------------------------------------------

    def action_mark(self) -> None:
        """Mark a row for merging or forgetting."""
        self.list.toggle_mark()

    def action_sort(self) -> None:
        """Sort by the next thing."""
        self._order = ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)]
        self._select()

    def action_section(self) -> None:
        """Show the next section."""
        self._section = SECTIONS[(SECTIONS.index(self._section) + 1) % len(SECTIONS)]
        self._select()

    def action_filter(self) -> None:
        """Ask for words."""
        field = self.query_one("#filter", Input)
        field.remove_class("hidden")
        field.focus()

    def action_plain(self) -> None:
        """Take filter and marks away."""
        field = self.query_one("#filter", Input)
        field.value = ""
        field.add_class("hidden")
        self._group = ""
        self.list.clear_marks()
        self._select()
        self.focus_list()

    @on(Input.Changed, "#filter")
    def _filtered(self) -> None:
        self._select()

    @on(Input.Submitted, "#filter")
    def _submitted(self) -> None:
        self.focus_list()

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.action_edit()

    def action_group(self) -> None:
        """Choose the group to show."""
        sizes = self._listing.groups(self._section)
        total, without = sizes.pop("*"), sizes.pop("", 0)
        groups = [("", self.words("all groups"), total), *((name, name, sizes[name]) for name in sorted(sizes))]
        if without:
            groups.append((NO_GROUP, self.words("no group"), without))

        def chosen(group: str | None) -> None:
            if group is not None:
                self._group = group
                self._select()

        columns = (Column(self.words("Group"), 0), Column(self.words("Entries"), 7, right=True))
        rows = [(group, name, str(size)) for group, name, size in groups]
        self.app.push_screen(Choose(self.words("Show which group?"), columns, rows), chosen)

    def _marked(self) -> list[EntryView]:
        """Return the marked entries, or the one under the cursor."""
        marked = [entry for entry in self._listing.all if entry.id in self.list.marked]
        current = self.list.current
        return marked or ([current] if current is not None else [])

    def _access(self) -> EntryAccess | None:
        if self.memory.entries is None:
            self.app.bell()
        return self.memory.entries

    def action_new(self) -> None:
        """Write something down."""
        access, t = self._access(), self.words

        async def save(form: Written) -> bool:
            return access is not None and await self.panel.changed(
                lambda: access.add(form.text, group=form.group), t("Remembered.")
            )

        if access is not None:
            self.app.push_screen(EntryForm(t("Remember"), t, save))

    def action_edit(self) -> None:
        """Change the entry under the cursor."""
        access, entry, t = self._access(), self.list.current, self.words
        if access is None or entry is None:
            return
        if entry.gone:
            self.panel.say(t("It is forgotten. Restore it first (r)."), severity="warning")
            return

        async def save(form: Written) -> bool:
            try:
                score = float(form.score)
            except ValueError:
                self.panel.say(t("A score is a number between 0 and 1."), severity="error")
                return False
            edit = EntryEdit(
                text=form.text if form.text.strip() != entry.text else None,
                category=form.category if form.category != entry.category else None,
                group=form.group if form.group != entry.group else None,
                score=score if f"{score:.2f}" != f"{entry.score:.2f}" else None,
            )
            return await self.panel.changed(lambda: access.edit(entry.id, edit), t("Changed."))

        self.app.push_screen(EntryForm(t("Edit {id}", id=entry.id), t, save, text=entry.text, entry=entry))

    def action_confirm(self) -> None:
        """Make the entry under the cursor the user's own word, where a model noted it."""
        access, entry, t = self._access(), self.list.current, self.words
        if access is None or entry is None:
            return
        if entry.gone:
            self.panel.say(t("It is forgotten. Restore it first (r)."), severity="warning")
        elif entry.origin is Origin.USER:
            self.panel.say(t("It is your own word already."), severity="warning")
        else:
            self.panel.change(lambda: access.edit(entry.id, EntryEdit(confirmed=True)), t("Confirmed: your own word."))

    def action_profile(self) -> None:
        """Show what is known, by kind: of the user, or about somebody."""
        access, t = self._access(), self.words

        async def told(about: str) -> str:
            try:
                found = await self.memory.run(lambda: access.profile(about) if access is not None else Profile({}))
            except Exception as error:
                return reason_of(error, t)
            return printable(told_of(found, t) if found.entries or about else t("There is nothing here."))

        if access is not None:
            self.app.push_screen(ProfileReport(told, t))

    def action_merge(self) -> None:
        """Make one of the marked entries."""
        access, t = self._access(), self.words
        marked = [entry for entry in self._marked() if not entry.gone]
        if access is None:
            return
        if len(marked) < 2:
            self.panel.say(t("Mark two or more memories with the space bar first."), severity="warning")
            return
        ids = [entry.id for entry in marked]

        async def save(form: Written) -> bool:
            return await self.panel.changed(lambda: access.merge(ids, form.text), t("Merged."), self.list.clear_marks)

        text = "\n".join(dict.fromkeys(entry.text for entry in marked))
        self.app.push_screen(EntryForm(t("Merge {n} memories into one", n=len(ids)), t, save, text=text))

    def action_forget(self) -> None:
        """Forget the marked entries, or the one under the cursor."""
        access, t = self._access(), self.words
        entries = [entry for entry in self._marked() if not entry.gone]
        if access is None or not entries:
            return

        ids = [entry.id for entry in entries]

        def answered(yes: bool | None) -> None:
            if yes:
                self.panel.change(lambda: access.forget(ids), t("Forgotten. u brings it back."), self.list.clear_marks)

        async def ask() -> None:
            """Ask, with the lines of the plan of a purge: they stay, and it removes them."""
            end = time.monotonic() + _LOOK_SECONDS
            erasure = Erasure(tuple(ids), tuple(entry.text for entry in entries), nearly=True)
            plan = await self.memory.run(
                lambda: plan_in_files(self.memory.paths, erasure, stopped=lambda: time.monotonic() > end)
            )
            question = t("Forget this?") if len(entries) == 1 else t("Forget these {n}?", n=len(entries))
            lines = [*(entry.text for entry in entries), *_kept(plan, t)]
            self.app.push_screen(Confirm(question, lines, t), answered)

        self.run_worker(ask(), group="ask", exclusive=True)

    def action_restore(self) -> None:
        """Bring the entry under the cursor back."""
        access, entry, t = self._access(), self.list.current, self.words
        if access is None or entry is None:
            return
        if not (entry.gone or entry.archived):
            self.panel.say(t("It is active already. Forgotten ones: a."), severity="warning")
            return
        self.panel.change(lambda: access.restore(entry.id), t("Restored."))

    def action_undo(self) -> None:
        """Take back what was done last, after a look at it."""
        self.run_worker(self._undo_last(), group="undo", exclusive=True)

    async def _undo_last(self) -> None:
        access = self._access()
        if access is None:
            return
        try:
            runs = await self.memory.run(lambda: access.history(limit=200))
        except Exception as error:
            self.panel.complain(error)
            return
        run = next((one for one in runs if is_undoable(one)), None)
        if run is None:
            self.panel.say(self.words("There is nothing to undo."), severity="warning")
        else:
            self.panel.ask_undo(run)


def _kept(plan: ErasurePlan, t: PanelWords) -> list[str]:
    """Return what is kept where a purge would find it, line by line."""
    lines = [
        t("{where}, line {n}: {held}", where=one.where, n=held.line, held=held.text)
        for one in plan.removed
        for held in one.lines[:_SHOWN]
    ]
    more = [] if plan.is_whole else [t("There may be more: there was no time to look everywhere.")]
    if not lines:
        return more
    return [t("It stays here, and is not brought up any more; {purge} removes it:", purge=plan.command), *lines, *more]
