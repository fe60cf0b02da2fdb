"""What a purge removes, and the traces of it that were found."""

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class TraceLine:
    """A line that contains text to be purged, and that text. Lines count from 1; 0 means a file without lines."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Trace:
    """A place where text to be purged was found.

    ``where`` is a file, relative to the workspace, ``count`` the number of occurrences in it, and ``lines`` their lines
    where these are known. ``removed`` is True when the text was removed, or would be in a dry run; otherwise ``why``
    says why it stays. ``waits`` is True when the removal failed for now and the next start tries again, ``foreign``
    when a person wrote the text. ``derived`` is True when the place is generated from files that are already clean, so
    that it can be cleaned later without the purged words.
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
    """What a purge is to remove.

    ``ids`` are entries, and ``texts`` all contents that they ever had; a text that is long enough is searched for in
    all files. ``words`` are texts that a person named. ``everywhere`` includes text that people wrote. ``records`` are
    messages, notes and entries by id, removed with what was derived from them, and ``sessions`` whole conversations by
    key: for these two, other occurrences of the same words are not searched for.
    """

    ids: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    everywhere: bool = False
    records: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()

    @property
    def has_targets(self) -> bool:
        """Whether anything is named. Without targets only data derived from files that are already clean is removed."""
        return bool(self.ids or self.texts or self.words or self.records or self.sessions)

    def union(self, other: "Erasure") -> "Erasure":
        """Return one erasure with the targets of both."""
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
