"""What is reported about a text that is forgotten for good."""

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class TraceLine:
    """A line, counted from 1, that holds what is to be forgotten, and what of it; 0 where a file has no lines."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Trace:
    """Where a text that is to be forgotten was found.

    ``where`` is a file, relative to the workspace, ``count`` how often the text occurs there, ``lines`` which these
    are, where that is known. ``removed`` says that it is gone from there, or would be, when nothing is to be written;
    where it stays, ``why`` says why. ``waits`` says that it could not be removed now, and that the next start tries it
    again, ``foreign`` that a person wrote it. ``derived`` says that it is made of files that are clean: to remove it
    later nobody has to know the words.
    """

    where: str
    count: int = 1
    removed: bool = True
    why: str = ""
    lines: tuple[TraceLine, ...] = ()
    waits: bool = False
    foreign: bool = False
    derived: bool = False


@dataclass(frozen=True, slots=True)
class Erasure:
    """What is to be forgotten for good.

    ``ids`` are entries, ``texts`` all that they ever said, which is looked for elsewhere where it is long enough,
    ``words`` what a person named. ``everywhere`` takes it out of text that people wrote, too. ``records`` are messages,
    notes and entries by their ids, and what rests on them, ``sessions`` whole conversations by their keys; nothing else
    that says the same is looked for.
    """

    ids: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    everywhere: bool = False
    records: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()

    @property
    def has_targets(self) -> bool:
        """Whether something is to be forgotten, apart from what is derived from what is gone already."""
        return bool(self.ids or self.texts or self.words or self.records or self.sessions)

    def union(self, other: "Erasure") -> "Erasure":
        """Return one erasure of both."""
        return Erasure(
            tuple(dict.fromkeys((*self.ids, *other.ids))),
            tuple(dict.fromkeys((*self.texts, *other.texts))),
            tuple(dict.fromkeys((*self.words, *other.words))),
            self.everywhere or other.everywhere,
            tuple(dict.fromkeys((*self.records, *other.records))),
            tuple(dict.fromkeys((*self.sessions, *other.sessions))),
        )

    def hook_arguments(self, *, dry_run: bool) -> dict[str, object]:
        """Return the arguments of ``on_purge``."""
        return {**{field.name: getattr(self, field.name) for field in fields(self)}, "dry_run": dry_run}
