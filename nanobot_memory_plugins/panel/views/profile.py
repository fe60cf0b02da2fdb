"""What is known of the user, by kind, with the words from which it was learned."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from nanobot_memory_plugins.core import Origin
from nanobot_memory_plugins.core.values import KnownEntry, Profile
from nanobot_memory_plugins.panel.language import PanelWords
from nanobot_memory_plugins.panel.views.base import View, field
from nanobot_memory_plugins.panel.views.entry_detail import day_and_time
from nanobot_memory_plugins.panel.widgets.row_list import Column, RowList
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Entries that a text tells of; the command shows all of them.
_TOLD = 500


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """A row: an entry of the profile under its kind; ``ended`` where it holds no more."""

    kind: str
    one: KnownEntry
    ended: bool = False


class ProfileView(View):
    """The profile."""

    name_of_view = "Profile"

    def rows(self) -> RowList[Any]:
        """Return the list."""
        t = self.words
        return RowList[ProfileRow](
            (Column(t("Category"), 11), Column(t("Since"), 10, from_width=60), Column(t("Text"), 0)),
            self._cells,
            key=lambda row: row.one.entry.id,
            dim=lambda row: row.ended,
            empty=t("There is nothing here."),
        )

    def version(self) -> str:
        """Return a text that changes with the entries."""
        return self.memory.entries.version() if self.memory.entries is not None else ""

    async def load(self) -> None:
        """Read the profile."""
        access = self.memory.entries
        found = await self.memory.run(lambda: access.profile()) if access is not None else Profile({})
        rows = list(_rows(found))
        self.list.set_rows(rows)
        ended = sum(row.ended for row in rows)
        self.line.update(Text(" " + self.words("{n} known, {m} over", n=f"{len(rows) - ended:,}", m=f"{ended:,}")))

    def _cells(self, row: ProfileRow) -> list[Text | str]:
        since = row.one.entry.created_at
        return [self.words(row.kind), f"{since.astimezone():%Y-%m-%d}" if since else "", row.one.entry.text]

    async def detail(self, row: ProfileRow) -> Text:
        """Return an entry with the words from which it was learned."""
        t, entry, text = self.words, row.one.entry, Text()
        text.append(f"{entry.text}\n\n", "bold")
        field(text, t("Said"), row.one.words)
        field(text, t("When"), day_and_time(row.one.said_at))
        field(text, t("Since"), day_and_time(entry.created_at))
        field(text, t("Origin"), t(entry.origin.value))
        field(text, t("Session"), entry.source_session)
        field(text, t("Tags"), ", ".join(entry.tags))
        return text.append(t("To change it: Memories (1)."), "dim")


def told_of(found: Profile, t: PanelWords) -> str:
    """Return a profile as text: the other names, and what is known by kind, since when and from which words."""
    lines: list[str] = []
    if len(found.names) > 1:
        lines.append(t("{name} is also called {others}.", name=found.names[0], others=", ".join(found.names[1:])))
    rows, kind = list(_rows(found)), ""
    for row in rows[:_TOLD]:
        if row.kind != kind:
            kind = row.kind
            lines.append(t("{kind}:", kind=t(kind)))
        lines.append(f"- {' '.join(row.one.entry.text.split())}{_learned(row.one, t)}")
    left = len(rows) - _TOLD
    return "\n".join([*lines, t("  and {count:,} more", count=left)] if left > 0 else lines)


def _learned(known: KnownEntry, t: PanelWords) -> str:
    since, origin = known.entry.created_at, known.entry.origin
    about = [t("since {day}", day=f"{since.astimezone():%Y-%m-%d}")] if since else []
    if known.words:
        about.append(f"“{known.words}”")
    elif origin is not Origin.USER:
        about.append(t("from: {origin}", origin=t(origin.value)))
    return f" ({'; '.join(about)})" if about else ""


def _rows(found: Profile) -> Iterable[ProfileRow]:
    for kind, told in found.known.items():
        yield from (ProfileRow(kind, one) for one in told)
    yield from (ProfileRow(Sentence("over"), one, ended=True) for one in found.ended)
