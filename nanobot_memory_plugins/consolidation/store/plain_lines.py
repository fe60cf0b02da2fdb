"""Entries that people wrote without an id: a bullet, or a heading with a category, in a section of ``ENTRIES.md``.

They become entries, with ids, when the file is put right: at a start, and before a command reads it. All other text
stays as it is, what looks like a bullet in a code block, a secret and what was forgotten for good included.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nanobot_memory_plugins.consolidation.model.entry import Category, Entry, content_of, new_id
from nanobot_memory_plugins.consolidation.model.scoring import Importance, initial_score
from nanobot_memory_plugins.consolidation.model.tags import plain_tags
from nanobot_memory_plugins.consolidation.store.document import Document, Text, parse
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Wanted
from nanobot_memory_plugins.consolidation.store.snapshot import State
from nanobot_memory_plugins.core import Scope, Sentence

WHO, WHY = "hand", "written without an id"
# More is no fact any more.
_LONGEST = 2_000
_MOST_NAMED = 5
_EVERYBODY = Scope()
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_BULLET = re.compile(r" ?[-*+•][ \t]+(?:\[(?P<box>[ xX])\][ \t]+)?(?P<text>\S.*)")
_HEADING = re.compile(
    rf" {{0,3}}###[ \t]+(?:\[\][ \t]*)?(?P<category>{'|'.join(Category)})[ \t]*(?:[|｜].*)?", re.IGNORECASE
)
_GOES_ON = re.compile(r"(?: {2,}|\t)\s*(?P<text>\S.*)")
# What no text of an entry begins with.
_OTHER = re.compile(r" {0,3}(?:#{1,6}(?:[ \t]|$)|<!--)|[ \t]*$")


@dataclass(frozen=True, slots=True)
class PlainLine:
    """What somebody wrote as an entry, in the bytes from ``start`` to ``end`` of the file."""

    start: int
    end: int
    content: str
    category: Category


def plain_lines(document: Document, *, everywhere: bool = False) -> list[PlainLine]:
    """Return what of the text in our sections, or everywhere, is meant as an entry, in the file's order."""
    found: list[PlainLine] = []
    position = 0
    for piece in document.pieces:
        if isinstance(piece, Text) and (everywhere or piece.section is not None):
            found += _lines_of(piece.data, position)
        position += len(piece.data)
    return found


def _lines_of(data: bytes, position: int) -> list[PlainLine]:
    found: list[PlainLine] = []
    fence = ""
    lines = data.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    starts = [position]
    for line in lines:
        starts.append(starts[-1] + len(line.encode("utf-8", "surrogateescape")))
    number = 0
    while number < len(lines):
        line = lines[number].rstrip()
        if mark := _FENCE.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        bullet, heading = (None, None) if fence else (_BULLET.fullmatch(line), _HEADING.fullmatch(line))
        first, number = number, number + 1
        if bullet is not None and (bullet["box"] or " ") == " ":
            texts = [bullet["text"]]
            while number < len(lines) and (more := _GOES_ON.fullmatch(lines[number].rstrip())):
                texts.append(more["text"])
                number += 1
            if any(_BULLET.fullmatch(text) for text in texts):
                continue  # a list in a list says something together
            category = Category.TODO if bullet["box"] else Category.FACT
        elif heading is not None:
            texts = []
            while number < len(lines) and not (
                _OTHER.match(lines[number]) or _BULLET.fullmatch(lines[number].rstrip())
            ):
                texts.append(lines[number])
                number += 1
            category = Category(heading["category"].lower())
        else:
            continue
        content = content_of(" ".join(texts))
        if 0 < len(content) <= _LONGEST:
            found.append(PlainLine(starts[first], starts[number], content, category))
    return found


def take_up(repository: EntryRepository, document: Document) -> str:
    """Make entries of what people wrote as such without an id; say so, or nothing. Raises `MemoryFileError`.

    ``document`` is the file as it was read just now.
    """
    if repository.path != repository.own_path:
        return ""  # in MEMORY.md bullets are people's
    if not _wanted(repository, plain_lines(document)):
        return ""
    made: dict[str, Entry] = {}
    with repository.locked():

        def decide(state: State) -> Wanted:
            made.clear()
            lines = _wanted(repository, plain_lines(state.document))
            made.update(new_entries(repository, lines, state.entries))
            return Wanted({**state.entries, **made}, document=_without(state.document, lines))

        repository.write(decide, who=WHO, why=WHY)
    if not made:
        return ""
    named = ", ".join(list(made)[:_MOST_NAMED]) + ("…" if len(made) > _MOST_NAMED else "")
    return Sentence(
        "what was written into {name} without an id has one now: {ids}", name=repository.path.name, ids=named
    )


def new_entries(
    repository: EntryRepository,
    lines: Sequence[PlainLine],
    entries: Mapping[str, Entry],
    *,
    scope: Scope = _EVERYBODY,
    tags: Sequence[str] = (),
) -> dict[str, Entry]:
    """Return the entries that lines become beside those that there are, each text once. Raises `MemoryFileError`."""
    made: dict[str, Entry] = {}
    there = {_alike(entry.content) for entry in entries.values()}
    for line in _wanted(repository, lines):
        if _alike(line.content) not in there:
            there.add(_alike(line.content))
            entry = _entry(repository, line, {**entries, **made})
            made[entry.id] = replace(entry, scope=scope, tags=plain_tags(tags))
    return made


def _wanted(repository: EntryRepository, lines: Sequence[PlainLine]) -> list[PlainLine]:
    """Return the lines that may become entries: none with a secret, none that was forgotten for good."""
    return [
        line
        for line in lines
        if repository.redacted(line.content) == line.content
        and not repository.tombstones.holds(_entry(repository, line, {}))
    ]


def _entry(repository: EntryRepository, line: PlainLine, there: Mapping[str, Entry]) -> Entry:
    now = repository.clock.now().replace(microsecond=0)
    return Entry(
        id=new_id(there),
        content=line.content,
        category=line.category.value,
        anchor=initial_score(Importance.HIGH),
        last_activated=now,
        created_at=now,
        importance=Importance.HIGH.value,
    )


def _without(document: Document, lines: list[PlainLine]) -> Document:
    """Return the file without some lines; what is left of it is read anew."""
    kept, done = [], 0
    for line in lines:
        kept.append(document.data[done : line.start])
        done = line.end
    return parse(b"".join([*kept, document.data[done:]]))


def _alike(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".。!！")
