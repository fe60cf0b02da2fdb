"""What is told about a text that is forgotten for good."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HeldLine:
    """A line, counted from 1, that holds what is to be forgotten, and what of it; 0 where a file has no lines."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Trace:
    """Where a text that is to be forgotten was found.

    ``where`` is a file, relative to the workspace, ``count`` how many times it stands there, ``lines`` which lines
    these are, where that is known. ``removed`` says that it is gone from there, or would be, when nothing is to be
    written; where it stays, ``why`` says why. ``nearly`` says that the words stand there only nearly, for the
    reason in ``why``, ``waits`` that it could not be removed now, and that the next start tries it again,
    ``foreign`` that a person wrote it. ``derived`` says that it is made of files that are clean: to remove it later
    nobody has to know the words.
    """

    where: str
    count: int = 1
    removed: bool = True
    why: str = ""
    lines: tuple[HeldLine, ...] = ()
    nearly: bool = False
    waits: bool = False
    foreign: bool = False
    derived: bool = False


@dataclass(frozen=True, slots=True)
class Withheld:
    """A text that somebody wants forgotten, and that could still be brought back.

    ``is_name`` says that all is meant that names it, as a whole word.
    """

    text: str
    is_name: bool = False


@dataclass(frozen=True, slots=True)
class Erasure:
    """What is to be forgotten for good.

    ``ids`` are entries, ``texts`` all that they ever said, ``words`` what a person named besides: short ones are
    found wherever they stand as a word. ``nearly`` takes what nearly holds it: a part, the same told again, what
    may be another word; ``everywhere`` text that people wrote. ``records`` are messages, notes and
    entries by their ids, and what rests on them; nothing else that says the same is looked for.
    """

    ids: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    nearly: bool = False
    everywhere: bool = False
    records: tuple[str, ...] = ()

    @property
    def names_anything(self) -> bool:
        """Whether something is to be forgotten, beside what is derived of what went already."""
        return bool(self.ids or self.texts or self.words or self.records)

    def joined(self, other: "Erasure") -> "Erasure":
        """Return one erasure of both."""
        return Erasure(
            tuple(dict.fromkeys((*self.ids, *other.ids))),
            tuple(dict.fromkeys((*self.texts, *other.texts))),
            tuple(dict.fromkeys((*self.words, *other.words))),
            self.nearly or other.nearly,
            self.everywhere or other.everywhere,
            tuple(dict.fromkeys((*self.records, *other.records))),
        )
