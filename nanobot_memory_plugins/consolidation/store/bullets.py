"""Entries that people wrote without an id: a bullet, or a heading with a category, where entries stand.

They become entries, with ids, at the next write; all other text stays as it is, a bullet with a secret included.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanobot_memory_plugins.consolidation.model.entry import Category, Entry, content_of, new_id
from nanobot_memory_plugins.consolidation.model.scoring import Importance, initial_score
from nanobot_memory_plugins.consolidation.store.document import EntryDocument, Heading, Text, parse
from nanobot_memory_plugins.redaction.script.messages import Sentence

if TYPE_CHECKING:
    from nanobot_memory_plugins.consolidation.store.repository import EntryRepository

# More is no fact any more.
_LONGEST = 2_000
_MOST_TOLD = 20
_KINDS = "|".join(Category)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_BULLET = re.compile(r" ?[-*+•][ \t]+(?:\[(?P<box>[ xX])\][ \t]+)?(?P<text>\S.*)")
_HEADING = re.compile(rf" {{0,3}}###[ \t]+(?:\[\][ \t]*)?(?P<category>{_KINDS})[ \t]*(?:[|｜].*)?", re.IGNORECASE)
_GOES_ON = re.compile(r"(?: {2}|\t)\s*+(?P<text>\S.*)")
# What no text of an entry begins with.
_OTHER = re.compile(r" {0,3}(?:#{1,6}(?:[ \t]|$)|<!--)|[ \t]*$")
_NO_KIND = re.compile(r" {0,3}###[ \t]+(?!\[)\S")


@dataclass(frozen=True, slots=True)
class Bullet:
    """What somebody wrote as an entry, in the bytes from ``start`` to ``end`` of the file."""

    start: int
    end: int
    content: str
    category: Category


def bullets_in(document: EntryDocument) -> list[Bullet]:
    """Return what of the text in and above our sections is meant as an entry, in the file's order."""
    found: list[Bullet] = []
    position, is_above = 0, True
    for piece in document.pieces:
        is_above = is_above and not isinstance(piece, Heading)
        if isinstance(piece, Text) and (is_above or piece.section is not None):
            found += _bullets_of(piece.data, position)
        position += len(piece.data)
    return found


def not_understood(document: EntryDocument) -> list[str]:
    """Say which headings among the entries name no kind of entry, a line each."""
    told: list[str] = []
    position = 0
    for piece in document.pieces:
        if isinstance(piece, Text) and piece.section is not None:
            first = document.data.count(b"\n", 0, position) + 1
            for number, line in enumerate(piece.data.decode("utf-8", "replace").splitlines(), first):
                if _NO_KIND.match(line) and not _HEADING.fullmatch(line.rstrip()):
                    what = Sentence("this heading names no kind of entry ({kinds})", kinds=", ".join(Category))
                    told.append(Sentence("line {line}: {what}", line=number, what=what))
        position += len(piece.data)
    return told[:_MOST_TOLD]


def with_bullets(
    document: EntryDocument, entries: Mapping[str, Entry], repository: "EntryRepository"
) -> tuple[EntryDocument, dict[str, Entry]]:
    """Return a file without the bullets that become entries, and these. Raises `MemoryFileError`."""
    bullets = wanted_bullets(repository, bullets_in(document))
    if not bullets:
        return document, {}
    return without_bullets(document, bullets), new_entries(repository, bullets, entries)


def new_entries(
    repository: "EntryRepository", bullets: Sequence[Bullet], entries: Mapping[str, Entry]
) -> dict[str, Entry]:
    """Return the entries that bullets become beside those that there are, each text once. Raises `MemoryFileError`."""
    made: dict[str, Entry] = {}
    there = {_alike(entry.content) for entry in entries.values()}
    for bullet in wanted_bullets(repository, bullets):
        if _alike(bullet.content) not in there:
            there.add(_alike(bullet.content))
            entry = _entry(repository, bullet, {**entries, **made})
            made[entry.id] = entry
    return made


def wanted_bullets(repository: "EntryRepository", bullets: Sequence[Bullet]) -> list[Bullet]:
    """Return the bullets that may become entries: none with a secret, none that was forgotten for good."""
    return [
        bullet
        for bullet in bullets
        if repository.redacted(bullet.content) == bullet.content
        and not repository.tombstones.holds(_entry(repository, bullet, {}))
    ]


def without_bullets(document: EntryDocument, bullets: Sequence[Bullet]) -> EntryDocument:
    """Return the file without some bullets; what is left of it is read anew."""
    kept, done = [], 0
    for bullet in bullets:
        kept.append(document.data[done : bullet.start])
        done = bullet.end
    return parse(b"".join([*kept, document.data[done:]]))


def _bullets_of(data: bytes, position: int) -> list[Bullet]:
    found: list[Bullet] = []
    fence = ""
    lines = data.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    starts = [position]
    for line in lines:
        starts.append(starts[-1] + len(line.encode("utf-8", "surrogateescape")))
    number = 0
    while number < len(lines):
        line, first = lines[number].rstrip(), number
        number += 1
        if mark := _FENCE.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        if fence:
            continue
        if (bullet := _BULLET.fullmatch(line)) is not None and (bullet["box"] or " ") == " ":
            texts, category = [bullet["text"]], Category.TODO if bullet["box"] else Category.FACT
            while number < len(lines) and (more := _GOES_ON.fullmatch(lines[number].rstrip())):
                texts.append(more["text"])
                number += 1
            if any(_BULLET.fullmatch(text) for text in texts):
                continue  # a list in a list says something together
        elif (heading := _HEADING.fullmatch(line)) is not None:
            texts, category = [], Category(heading["category"].lower())
            while number < len(lines) and not (
                _OTHER.match(lines[number]) or _BULLET.fullmatch(lines[number].rstrip())
            ):
                texts.append(lines[number])
                number += 1
        else:
            continue
        content = content_of(" ".join(texts))
        if content and len(content) <= _LONGEST:
            found.append(Bullet(starts[first], starts[number], content, category))
    return found


def _entry(repository: "EntryRepository", bullet: Bullet, there: Mapping[str, Entry]) -> Entry:
    now = repository.clock.now().replace(microsecond=0)
    return Entry(
        id=new_id(there),
        content=bullet.content,
        category=bullet.category.value,
        anchor=initial_score(Importance.HIGH),
        last_activated=now,
        created_at=now,
        importance=Importance.HIGH.value,
    )


def _alike(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".。!！")
