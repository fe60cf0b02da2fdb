"""The changes of one entry or of all entries, with who made them and why. Each run can be undone."""

from datetime import datetime
from typing import Any

from rich.text import Text

from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values.entries import Entry, EntryRun
from nanobot_memory_plugins.panel.views.base import MAX_ROWS, Cells, View, field
from nanobot_memory_plugins.redaction.script.messages import tr

_ACTIONS = {"added": "green", "restored": "green", "removed": "red", "archived": "yellow", "changed": "cyan"}


class HistoryView(View):
    """The changes of one entry or of all entries."""

    name_of_view = "History"
    needs = "entries"
    columns = (("When", 16), ("Who", 10), ("Why", 18), ("Text", 0))

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.entry_id = ""
        """The id of the entry to show, or empty for all."""
        self._entry: Entry | None = None

    def version(self) -> str:
        """Return a text that changes with the entries and with the selected one."""
        return f"{self.entry_id} {self.memory.entries.version()}"

    async def load(self) -> None:
        """Read the runs."""
        access, entry_id = self.memory.entries, self.entry_id
        runs = await run_in_daemon_thread(lambda: access.history(entry_id, limit=MAX_ROWS))
        listed = await run_in_daemon_thread(lambda: [*access.entries().entries, *access.gone()]) if entry_id else []
        self._entry = next((entry for entry in listed if entry.id == entry_id), None)
        self.fill(runs, self._cells, lambda run: run.id)
        text = Text(" " + tr("{n} changes, the last first", n=f"{len(runs):,}"))
        if self._entry is not None:
            text = (
                Text()
                .append(f" {self._entry.content}\n", "bold")
                .append_text(text)
                .append("  " + tr("esc: of all"), "dim")
            )
        self.line.update(text)

    def _cells(self, run: EntryRun) -> Cells:
        first = next((change.after or change.before for change in run.changes), None)
        undone = f"({tr('undone')}) " if run.undone else ""
        cells = day_and_time(run.time), tr(run.who), tr(run.why), f"{undone}{first.content if first else ''}"
        return [Text(cell, "dim" if run.undone else "") for cell in cells]

    async def detail(self, row: EntryRun) -> Text:
        """Return the changes of a run, and the selected entry."""
        text = run_line(row).append("\n\n")
        for change in row.changes:
            text.append(f"{tr(change.action)} ", "bold").append(f"{change.id}\n", "dim")
            before, after = change.before, change.remaining
            if before is not None and (after is None or after.content != before.content):
                text.append(f"- {before.content}\n", "red")
            if after is not None:
                is_new = before is None or before.content != after.content
                text.append(f"{'+' if is_new else ' '} {after.content}\n", "green")
            if before is not None and after is not None and before.group != after.group:
                text.append(f"  {tr('Group')} {before.group or tr('none')} → {after.group or tr('none')}\n", "dim")
            if before is not None and after is not None and f"{before.score:.2f}" != f"{after.score:.2f}":
                text.append(f"  {tr('Score')} {before.score:.2f} → {after.score:.2f}\n", "dim")
        return text.append("\n").append_text(entry_text(self._entry)) if self._entry is not None else text

    def empty_text(self) -> str:
        """Return the text next to an empty list."""
        return tr("Nothing has happened yet.")

    def do_plain(self) -> None:
        """Show the changes of all entries."""
        self.entry_id, self._entry = "", None
        self.begin(self.refresh_view)

    def do_undo(self) -> None:
        """Undo the run under the cursor."""
        if self.current is not None and self.current.is_undoable:
            self.panel.ask_undo(self.current)
        elif self.current is not None:
            self.warn(tr("This cannot be undone, or was undone already."))


def entry_text(entry: Entry) -> Text:
    """Return an entry with all its fields."""
    text = Text().append(f"{entry.content}\n", "bold")
    if quote := entry.shown_quote:
        day = f"{entry.quoted_on:%Y-%m-%d}: " if entry.quoted_on else ""
        text.append(f"{day}“{quote}”\n", "italic")
    text.append("\n")
    state = tr(section_of(entry))
    used = ", " + tr("used {n} times", n=entry.hits) if entry.hits else ""
    field(text, tr("Score"), f"{entry.score:.2f}, {state}{used}")
    field(text, tr("Group"), entry.group)
    field(text, tr("Project"), entry.scope.project)
    field(text, tr("Category"), f"{tr(entry.category)} · {tr(entry.origin.value)}")
    kinds = (tr(entry.kind) if entry.kind else "", tr("pinned") if entry.pinned else "")
    field(text, tr("Kind"), " · ".join(filter(None, kinds)))
    field(text, tr("Written"), day_and_time(entry.created_at))
    field(text, tr("Last used"), day_and_time(entry.last_activated))
    field(text, tr("Expires"), day_and_time(entry.expires_at))
    field(text, tr("Session"), ", ".join(entry.sessions))
    field(text, tr("Replaced by"), entry.superseded_by)
    field(text, tr("Id"), entry.id)
    return text


def run_line(run: EntryRun) -> Text:
    """Return a line with the time, actions, author and reason of a run."""
    text = Text(day_and_time(run.time) + "  ")
    for action in dict.fromkeys(change.action for change in run.changes):
        text.append(f"{tr(action)} ", _ACTIONS.get(action, ""))
    text.append(f"{tr(run.who)}: {tr(run.why)}")
    return text.append(f" ({tr('undone')})", "dim") if run.undone else text


def section_of(entry: Entry) -> str:
    """Return the name of the section that lists an entry."""
    return "forgotten" if entry.is_forgotten else entry.section.value


def day_and_time(time: datetime | None) -> str:
    """Return a time in the machine's time zone, to the minute."""
    return f"{time.astimezone():%Y-%m-%d %H:%M}" if time is not None else ""
