"""The sessions, and the notes of each day: what was said and noted, redacted, as the files have it."""

from rich.text import Text

from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.panel.reading import ShownFile, ShownRecord
from nanobot_memory_plugins.panel.views.base import Cells, View
from nanobot_memory_plugins.panel.views.history import day_and_time

_SHOWN = 100
# Of one message this much is shown.
_MOST_CHARACTERS = 4_000
_ROLES = {"user": "bold green", "assistant": "bold cyan", "tool": "bold magenta"}


class SessionsView(View):
    """The sessions and the days' notes, of which one may be deleted."""

    name_of_view = "Sessions"
    columns = (("Session", 24), ("Messages", 8), ("Last", 16), ("Text", 0))
    shows_end = True

    def version(self) -> str:
        """Return a text that changes with the files."""
        return self.memory.reader.version()

    async def load(self) -> None:
        """Read the files."""
        files = await self.memory.run(self.memory.reader.files)
        self.fill(files, self._cells, lambda file: file.path)
        summary = self.words(
            "{n} sessions and days, {m} messages", n=f"{len(files):,}", m=f"{sum(file.count for file in files):,}"
        )
        self.line.update(Text(f" {summary}"))

    def _cells(self, file: ShownFile) -> Cells:
        return [file.key, f"{file.count:,}", day_and_time(file.last), file.preview]

    async def detail(self, row: ShownFile) -> Text:
        """Return the last messages or notes."""
        text = Text().append(f"{row.path}\n\n", "dim cyan")
        for record in await self._records(row, _SHOWN):
            text.append(f"{day_and_time(record.time)} ", "dim").append(
                self.words(record.role), _ROLES.get(record.role, "bold")
            )
            text.append(f" {record.name}\n" if record.name else "\n", "dim")
            content = record.text.strip()
            text.append(content[:_MOST_CHARACTERS] + ("…" if len(content) > _MOST_CHARACTERS else "") + "\n\n")
        return text

    def nothing(self) -> str:
        """Return what to show next to an empty list."""
        return self.words("There are no sessions yet.")

    def do_forget(self) -> None:
        """Show what deleting the session or the notes of the day under the cursor would remove."""
        if self.current is not None:
            self.run_worker(self._forget(self.current), group="ask", exclusive=True)

    async def _forget(self, row: ShownFile) -> None:
        try:
            ids = tuple(record.id for record in await self._records(row, None) if record.id)
        except Exception as error:
            self.panel.complain(error)
            return
        if ids:
            await self.panel.show_forgetting(Erasure(records=ids))
        else:
            self.warn(self.words("Nothing here was written by this program: change the file itself."))

    async def _records(self, row: ShownFile, limit: int | None) -> list[ShownRecord]:
        return await self.memory.run(lambda: self.memory.reader.records(row, limit))
