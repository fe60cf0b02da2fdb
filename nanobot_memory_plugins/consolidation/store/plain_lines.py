"""Entries that people wrote without an id: a bullet, or a heading with a category, in a section of ``ENTRIES.md``.

They may also stand above our sections, as in a file that has none yet. They become entries, with ids, at the next
write, at a start, and before a command reads the file. All other text stays as it is, what looks like a bullet in a
code block, a secret and what was forgotten for good included.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nanobot_memory_plugins.consolidation.model.entry import Category, Entry, content_of, new_id
from nanobot_memory_plugins.consolidation.model.scoring import Importance, initial_score
from nanobot_memory_plugins.consolidation.model.tags import plain_tags
from nanobot_memory_plugins.consolidation.store.atomic_files import read_file
from nanobot_memory_plugins.consolidation.store.block import HEADER
from nanobot_memory_plugins.consolidation.store.document import EntryDocument, Heading, Text, parse
from nanobot_memory_plugins.consolidation.store.snapshot import State, WantedState
from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.redaction.script.messages import Sentence

if TYPE_CHECKING:
    from nanobot_memory_plugins.consolidation.store.repository import EntryRepository

WHO, WHY = "hand", "written without an id"
# More is no fact any more.
_LONGEST = 2_000
_MOST_NAMED = 5
_MOST_TOLD = 20
_EVERYBODY = Scope()
# What a file has to hold for a line of it to be one: parsing a large file takes its time.
_MAY_HOLD = re.compile(rb"^ ?(?:[-*+]|\xe2\x80\xa2)[ \t]|^ {0,3}###[ \t]+(?!\[[0-9a-f])", re.MULTILINE)
_KINDS = ", ".join(category.value for category in Category)
_NO_KIND = Sentence(
    "this heading names no kind of entry ({kinds}), so that the text below it is none; write `### fact`, or a bullet",
    kinds=_KINDS,
)
_NESTED = Sentence("a list in a list is no entry; write each on a line of its own, without blanks before it")
_NUMBERED = Sentence("a numbered line is no entry; write it as a bullet")
_TOO_LONG = Sentence("this is no entry: it has more than {most:,} characters", most=_LONGEST)
_NO_HEADER = Sentence(
    "this is no header of an entry as it stands; write it as `### [id] fact | 0.80 | 2026-02-20 | 0`, below the heading"
    " `## Active Memories` or `## Archived Memories`"
)
_NO_TEXT = Sentence("this heading is no entry: its text belongs on the line below it")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_BULLET = re.compile(r" ?[-*+•][ \t]+(?:\[(?P<box>[ xX])\][ \t]+)?(?P<text>\S.*)")
_HEADING = re.compile(
    rf" {{0,3}}###[ \t]+(?:\[\][ \t]*)?(?P<category>{'|'.join(Category)})[ \t]*(?:[|｜].*)?", re.IGNORECASE
)
_NUMBER = re.compile(r" ?\d{1,3}(?:[.)][ \t]++|、[ \t]*+)\S")
# What the header of an entry says, whatever stands before it: hashes too many, none, a quote's mark, a tag.
_HEADER_LIKE = re.compile(r".{0,12}?\[[0-9A-Za-z_-]{1,64}\][ \t]*[a-z_]{3,20}[ \t]*[|｜][ \t]*[01][.,]\d\d?[ \t]*[|｜]")
_UNKNOWN = re.compile(r" {0,3}###[ \t]+\S")
_GOES_ON = re.compile(r"(?: {2}|\t)\s*+(?P<text>\S.*)")
# What no text of an entry begins with.
_OTHER = re.compile(r" {0,3}(?:#{1,6}(?:[ \t]|$)|<!--)|[ \t]*$")


@dataclass(frozen=True, slots=True)
class PlainLine:
    """What somebody wrote as an entry, in the bytes from ``start`` to ``end`` of the file; or ``why`` it is none."""

    start: int
    end: int
    content: str
    category: Category
    why: str = ""


def plain_lines(document: EntryDocument, *, everywhere: bool = False) -> list[PlainLine]:
    """Return what of the text in and above our sections, or everywhere, is meant as an entry, in the file's order."""
    return [line for line in _read(document, everywhere=everywhere) if not line.why]


def not_understood(document: EntryDocument) -> list[str]:
    """Say what looks like an entry where entries stand, and is none, a line each."""
    told: list[str] = []
    for line in _read(document, everywhere=False):
        if line.why and len(told) < _MOST_TOLD:
            number = document.data.count(b"\n", 0, line.start) + 1
            told.append(Sentence("line {line}: {what}", line=number, what=line.why))
    return told


def _read(document: EntryDocument, *, everywhere: bool) -> list[PlainLine]:
    found: list[PlainLine] = []
    position, is_above = 0, True
    for piece in document.pieces:
        is_above = is_above and not isinstance(piece, Heading)
        if isinstance(piece, Text):
            lines = _lines_of(piece.data, position, in_section=piece.section is not None)
            # Of the text of others a header of ours alone is looked at: with its section's heading it has gone astray.
            ours = everywhere or is_above or piece.section is not None
            found += lines if ours else [line for line in lines if line.why is _NO_HEADER]
        position += len(piece.data)
    return found


def _lines_of(data: bytes, position: int, *, in_section: bool) -> list[PlainLine]:
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
        is_header = HEADER.match(line.encode("utf-8", "surrogateescape")) is not None
        # One in our sections that cannot be read was named by who read it.
        if not fence and _HEADER_LIKE.match(line) and not (is_header and in_section):
            found.append(PlainLine(starts[number], starts[number + 1], "", Category.FACT, _NO_HEADER))
            number += 1
            continue
        bullet, heading = (None, None) if fence else (_BULLET.fullmatch(line), _HEADING.fullmatch(line))
        first, number = number, number + 1
        if bullet is not None and (bullet["box"] or " ") == " ":
            texts = [bullet["text"]]
            while number < len(lines) and (more := _GOES_ON.fullmatch(lines[number].rstrip())):
                texts.append(more["text"])
                number += 1
            if any(_BULLET.fullmatch(text) for text in texts):
                # A list in a list says something together.
                found.append(PlainLine(starts[first], starts[number], "", Category.FACT, _NESTED))
                continue
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
            if not fence and _NUMBER.match(line):
                found.append(PlainLine(starts[first], starts[number], "", Category.FACT, _NUMBERED))
            elif not fence and _UNKNOWN.match(line) and not is_header:
                found.append(PlainLine(starts[first], starts[number], "", Category.FACT, _NO_KIND))
            continue
        content = content_of(" ".join(texts))
        why = _NO_TEXT if not content else _TOO_LONG if len(content) > _LONGEST else ""
        found.append(PlainLine(starts[first], starts[number], content, category, why))
    return found


def take_up(repository: "EntryRepository", document: EntryDocument) -> str:
    """Make entries of what people wrote as such without an id; say so, or nothing. Raises `MemoryFileError`.

    ``document`` is the file as it was read just now.
    """
    if not wanted_lines(repository, plain_lines(document)):
        return ""
    with repository.locked():
        made = write_taken_up(repository)
    if not made:
        return ""
    named = ", ".join(list(made)[:_MOST_NAMED]) + ("…" if len(made) > _MOST_NAMED else "")
    return Sentence(
        "what was written into {name} without an id has one now: {ids}", name=repository.path.name, ids=named
    )


def write_taken_up(repository: "EntryRepository") -> dict[str, Entry]:
    """Do what `take_up` does, with the lock held, and return the new entries."""
    made: dict[str, Entry] = {}

    def decide(state: State) -> WantedState:
        made.clear()
        lines = wanted_lines(repository, plain_lines(state.document))
        if not lines:
            return WantedState(state.entries, data=state.raw or b"")
        made.update(new_entries(repository, lines, state.entries))
        return WantedState({**state.entries, **made}, document=without_lines(state.document, lines))

    if _MAY_HOLD.search(read_file(repository.path) or b"") and wanted_lines(
        repository, plain_lines(repository.load().document)
    ):
        repository.write(decide, who=WHO, why=WHY)
    return made


def new_entries(
    repository: "EntryRepository",
    lines: Sequence[PlainLine],
    entries: Mapping[str, Entry],
    *,
    scope: Scope = _EVERYBODY,
    tags: Sequence[str] = (),
) -> dict[str, Entry]:
    """Return the entries that lines become beside those that there are, each text once. Raises `MemoryFileError`."""
    made: dict[str, Entry] = {}
    there = {_alike(entry.content) for entry in entries.values()}
    for line in wanted_lines(repository, lines):
        if _alike(line.content) not in there:
            there.add(_alike(line.content))
            entry = _entry(repository, line, {**entries, **made})
            made[entry.id] = replace(entry, scope=scope, tags=plain_tags(tags))
    return made


def wanted_lines(repository: "EntryRepository", lines: Sequence[PlainLine]) -> list[PlainLine]:
    """Return the lines that may become entries: none with a secret, none that was forgotten for good."""
    return [
        line
        for line in lines
        if repository.redacted(line.content) == line.content
        and not repository.tombstones.holds(_entry(repository, line, {}))
    ]


def _entry(repository: "EntryRepository", line: PlainLine, there: Mapping[str, Entry]) -> Entry:
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


def without_lines(document: EntryDocument, lines: list[PlainLine]) -> EntryDocument:
    """Return the file without some lines; what is left of it is read anew."""
    kept, done = [], 0
    for line in lines:
        kept.append(document.data[done : line.start])
        done = line.end
    return parse(b"".join([*kept, document.data[done:]]))


def _alike(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".。!！")
