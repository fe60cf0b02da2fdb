"""The scored entries, sorted by score, age or group, and the actions on them."""

from collections.abc import Sequence
from typing import Any

from rich.text import Text
from textual import on
from textual.widgets import DataTable, Input

from nanobot_memory_plugins.core import Origin
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values.entries import Entry, EntryEdit
from nanobot_memory_plugins.panel.dialogs import EntryForm, FormValues
from nanobot_memory_plugins.panel.views.base import MAX_ROWS, Cells, View
from nanobot_memory_plugins.panel.views.history import entry_text, section_of
from nanobot_memory_plugins.redaction.script.messages import tr

SECTIONS = ("active", "archived", "forgotten", "all")
ORDERS = ("score", "age", "group")


class MemoriesView(View):
    """The scored entries."""

    name_of_view = "Memories"
    needs = "entries"
    columns = (("Score", 5), ("Since", 10), ("Group", 14), ("Text", 0))
    field_text = "Only what holds these words"
    hides_field = True

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._section, self._order = SECTIONS[0], ORDERS[0]
        self._all: Sequence[Entry] = ()
        self._problem = ""

    # --- loading ----------------------------------------------------------------------------------------------

    def version(self) -> str:
        """Return a text that changes with the entries."""
        return self.memory.entries.version()

    async def load(self) -> None:
        """Read the entries."""
        access = self.memory.entries
        listed, gone = await run_in_daemon_thread(lambda: (access.entries(), access.gone()))
        self._all = [*listed.entries, *gone]
        self._problem = f"{listed.file}: {listed.problems[0]}" if listed.problems else ""
        self._select()

    def _select(self) -> None:
        words = self.field.value.casefold().split()
        found = [
            entry
            for entry in self._all
            if self._section in ("all", section_of(entry))
            and all(word in f"{entry.group} {entry.content}".casefold() for word in words)
        ]
        if self._order == "age":
            found.sort(key=lambda entry: entry.created_at or entry.last_activated, reverse=True)
        elif self._order == "group":
            found.sort(key=lambda entry: (not entry.group, entry.group, -entry.score))
        self.fill(found, self._cells, lambda entry: entry.id)
        self._show_count(len(found))

    def _show_count(self, count: int) -> None:
        sections = {"active": tr("Active"), "archived": tr("Archived"), "forgotten": tr("Forgotten"), "all": tr("All")}
        orders = {"score": tr("by score"), "age": tr("by age"), "group": tr("by group")}
        line = Text(no_wrap=True, overflow="ellipsis").append(f" {sections[self._section]}", "bold")
        line.append(f" · {orders[self._order]} · {count:,} / {len(self._all):,}")
        if count > MAX_ROWS:
            line.append("  " + tr("{n} are shown: / narrows them down.", n=f"{MAX_ROWS:,}"), "yellow")
        if self._problem:
            line.append(f"  {self._problem}", "yellow")
        self.line.update(line)

    def _cells(self, entry: Entry) -> Cells:
        style = "" if section_of(entry) == "active" else "dim"
        day = f"{(entry.created_at or entry.last_activated).astimezone():%Y-%m-%d}"
        return [Text(cell, style) for cell in (f"{entry.score:.2f}", day, entry.group, entry.content)]

    async def detail(self, row: Entry) -> Text:
        """Return an entry with all its fields."""
        return entry_text(row)

    def empty_text(self) -> str:
        """Return a hint next to an empty list."""
        if self._all:
            return tr("Other sections: a.")
        return tr("Nothing is remembered yet. Press n to write something down.")

    # --- actions ----------------------------------------------------------------------------------------------

    def do_sort(self) -> None:
        """Sort by the next order."""
        self._order = ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)]
        self._select()

    def do_section(self) -> None:
        """Show the next section."""
        self._section = SECTIONS[(SECTIONS.index(self._section) + 1) % len(SECTIONS)]
        self._select()

    def do_ask(self) -> None:
        """Show and focus the filter."""
        self.field.remove_class("hidden")
        self.app.set_focus(self.field)

    def do_plain(self) -> None:
        """Remove the filter."""
        self.field.value = ""
        self.field.add_class("hidden")
        self._select()
        self.focus_list()

    @on(Input.Changed)
    def _typed(self) -> None:
        self._select()

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.focus_list()

    @on(DataTable.RowSelected)
    def do_history(self) -> None:
        """Show the entry under the cursor with its changes."""
        if (entry := self.current) is not None:
            self.begin(lambda: self.panel.show_history(entry.id))

    def do_new(self) -> None:
        """Add an entry."""
        access = self.memory.entries

        async def save(values: FormValues) -> bool:
            text, group = values["text"], values["group"]
            return bool(await self.panel.apply_change(lambda: access.add(text, group=group), tr("Remembered.")))

        self.app.push_screen(EntryForm(tr("Remember"), save))

    def do_edit(self) -> None:
        """Change the entry under the cursor."""
        access, entry = self.memory.entries, self._editable_entry()
        if entry is None:
            return

        async def save(values: FormValues) -> bool:
            try:
                score = float(values["score"])
            except ValueError:
                self.panel.say(tr("A score is a number between 0 and 1."), severity="error")
                return False
            edit = EntryEdit(
                text=values["text"] if values["text"].strip() != entry.content else None,
                category=values["category"] if values["category"] != entry.category else None,
                group=values["group"] if values["group"] != entry.group else None,
                score=score if f"{score:.2f}" != f"{entry.score:.2f}" else None,
            )
            return bool(await self.panel.apply_change(lambda: access.edit(entry.id, edit), tr("Changed.")))

        self.app.push_screen(EntryForm(tr("Edit {id}", id=entry.id), save, entry))

    def do_confirm(self) -> None:
        """Confirm an entry that a model noted, so that it counts as the user's own word."""
        access, entry = self.memory.entries, self._editable_entry()
        if entry is None:
            return
        if entry.origin is Origin.USER:
            self.warn(tr("It is your own word already."))
        else:
            self.panel.change(lambda: access.edit(entry.id, EntryEdit(confirmed=True)), tr("Confirmed: your own word."))

    def do_forget(self) -> None:
        """Forget the entry under the cursor."""
        access, entry = self.memory.entries, self._editable_entry()
        if entry is None:
            return

        def forget() -> None:
            self.panel.change(lambda: access.forget([entry.id]), tr("Forgotten. u brings it back."))

        self.panel.ask(tr("Forget this?"), [entry.content], forget)

    def do_restore(self) -> None:
        """Restore the entry under the cursor."""
        access, entry = self.memory.entries, self.current
        if entry is None:
            return
        if section_of(entry) == "active":
            self.warn(tr("It is active already. Forgotten ones: a."))
            return
        self.panel.change(lambda: access.restore(entry.id), tr("Restored."))

    def do_undo(self) -> None:
        """Undo the last change, after a confirmation."""
        self.begin(self._undo_last)

    async def _undo_last(self) -> None:
        access = self.memory.entries
        runs = await run_in_daemon_thread(lambda: access.history(limit=200))
        run = next((candidate for candidate in runs if candidate.is_undoable), None)
        if run is None:
            self.warn(tr("There is nothing to undo."))
        else:
            self.panel.ask_undo(run)

    def _editable_entry(self) -> Entry | None:
        """Return the entry under the cursor if it can be changed."""
        entry: Entry | None = self.current
        if entry is not None and entry.is_forgotten:
            self.warn(tr("It is forgotten. Restore it first (r)."))
            return None
        return entry
