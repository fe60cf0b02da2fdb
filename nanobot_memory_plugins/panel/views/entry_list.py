"""The scored memories as lists: by section and order, made once for each state of the file, then chosen from."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from nanobot_memory_plugins.core import EntryAccess
from nanobot_memory_plugins.core.values import EntryView

SECTIONS = ("active", "archived", "forgotten", "all")
ORDERS = ("score", "age", "group")
# Stands for "in no group", since the empty name stands for all of them.
NO_GROUP = "\0none"


@dataclass(slots=True)
class Listing:
    """All entries, those that are gone included. Sorting 10,000 takes longer than a key may: it is done in a thread."""

    file: str = ""
    problems: tuple[str, ...] = ()
    all: Sequence[EntryView] = ()
    _lists: dict[tuple[str, str], list[EntryView]] = field(default_factory=dict)
    _folded: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, access: EntryAccess) -> "Listing":
        """Read the entries. Blocks; raises what the access raises."""
        listed, gone = access.entries(), access.gone()
        made = cls(listed.file, listed.problems, [*listed.entries, *gone])
        made._folded = {entry.id: entry.text.casefold() for entry in made.all}
        orders = {
            "score": made.all,
            "age": sorted(made.all, key=lambda entry: entry.created_at or entry.last_used, reverse=True),
            "group": sorted(made.all, key=lambda entry: (not entry.group, entry.group, -entry.score)),
        }
        for order, entries in orders.items():
            made._lists["all", order] = list(entries)
            for section in SECTIONS[:-1]:
                made._lists[section, order] = [entry for entry in entries if section_of(entry) == section]
        return made

    def select(self, section: str, order: str, group: str, words: str) -> list[EntryView]:
        """Return the entries of a section and a group that hold all words, in an order."""
        found = self._lists.get((section, order), [])
        if group == NO_GROUP:
            found = [entry for entry in found if not entry.group]
        elif group:
            found = [entry for entry in found if entry.group == group or entry.group.startswith(f"{group}/")]
        folded = self._folded
        for word in words.casefold().split():
            found = [entry for entry in found if word in folded[entry.id]]
        return found

    def groups(self, section: str) -> dict[str, int]:
        """Return how many entries of a section lie in each group or below it, in none (``""``), and at all (``*``)."""
        entries = self._lists.get((section, ORDERS[0]), [])
        sizes = {"*": len(entries)}
        for entry in entries:
            parts = entry.group.split("/")
            for depth in range(len(parts)):
                name = "/".join(parts[: depth + 1])
                sizes[name] = sizes.get(name, 0) + 1
        return sizes


def section_of(entry: EntryView) -> str:
    """Return where an entry is shown."""
    return "forgotten" if entry.gone else "archived" if entry.archived else "active"
