"""A made-up workspace, the same each time, for the pictures of the documentation and for tests."""

import random
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest import mock

from nanobot_memory_plugins.consolidation.model import entry as entry_module
from nanobot_memory_plugins.consolidation.model.entry import Category
from nanobot_memory_plugins.consolidation.operations.entry_access import RepositoryAccess
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.files.notes import render_note
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, render_transcript_line
from nanobot_memory_plugins.core.language_model.ledger import Usage, UsageLedger
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.values import Note, NoteType, Origin, Scope
from nanobot_memory_plugins.core.values.entries import EntryEdit
from release.pages import chinese_picture_workspace as chinese

NOW = datetime(2026, 3, 20, 9, 30, tzinfo=UTC)
_DAY = 86_400

# Days before NOW, text, category, group.
ENTRIES = (
    (70, "The user is called Lin, and works as a structural engineer in Rotterdam", Category.FACT, "life"),
    (66, "用户喜欢喝乌龙茶，下午不喝咖啡", Category.PREFERENCE, "life/food"),
    (61, "Answers should be short, with the figure first", Category.PREFERENCE, "work"),
    (
        55,
        "The bridge at Maassluis is checked with EN 1993-2, not with the old national code",
        Category.DECISION,
        "work",
    ),
    (52, "用户的女儿叫小雨，今年七岁，学钢琴", Category.FACT, "life/family"),
    (47, "Reports go to Marijke first, then to the client", Category.WORKFLOW, "work/clients"),
    (40, "Deploys the site with `make publish` after the tests have passed", Category.WORKFLOW, "work/site"),
    (33, "周三晚上去攀岩馆，不要安排会议", Category.PREFERENCE, "life"),
    (30, "The client at Vlaardingen wants drawings in A2", Category.FACT, "work/clients"),
    (22, "Learned to dimension bolted joints with the new spreadsheet", Category.EXPERIENCE, "work"),
    (14, "预订五月去成都的火车票", Category.TODO, "life"),
    (9, "Prefers metric units everywhere, also in quotations", Category.PREFERENCE, "work"),
    (4, "The spare key is with the neighbour on the second floor", Category.FACT, ""),
    (1, "Buys bread at the bakery on Witte de Withstraat", Category.PREFERENCE, "life/food"),
)
NOTES = (
    (
        2,
        14,
        "Chose a 16 mm end plate for the joint",
        "Two bolts less, and the plate stays below 20 kg.",
        ("bridge",),
        NoteType.DECISION,
    ),
    (
        2,
        16,
        "`make publish` failed: the certificate had expired",
        "Renewed it; the timer had been switched off.",
        ("site",),
        NoteType.BUG,
    ),
    (1, 9, "小雨的钢琴课改到周五下午四点", "老师这周三不在。", ("family",), NoteType.NOTE),
    (0, 8, "Ask Marijke whether A2 drawings are needed for the annex, too", "", ("clients",), NoteType.IDEA),
)
SESSIONS = (
    ("cli:direct", 2, ("Which code do we use for the Maassluis bridge?", "EN 1993-2. You decided that in January.")),
    ("telegram:4711", 1, ("下周三晚上有空吗？", "周三晚上您去攀岩馆，我建议改到周四。")),
    ("feishu:oc_89", 0, ("Draft the mail about the drawings", "Here it is; Marijke gets it first.")),
)
EDITED = "Answers should be short, with the figure and its unit first"
FORGOTTEN = "The old office was on Coolsingel"


@dataclass(frozen=True)
class Life:
    """The contents of a workspace. The third entry is edited later; ``forgotten`` is remembered and forgotten."""

    entries: Sequence[tuple[int, str, Category, str]]
    notes: Sequence[tuple[int, int, str, str, tuple[str, ...], NoteType]]
    sessions: Sequence[tuple[str, int, tuple[str, ...]]]
    edited: str
    forgotten: str


LIVES = {
    "en": Life(ENTRIES, NOTES, SESSIONS, EDITED, FORGOTTEN),
    "zh": Life(chinese.ENTRIES, chinese.NOTES, chinese.SESSIONS, chinese.EDITED, chinese.FORGOTTEN),
}


def make_workspace(folder: Path, language: str = "en") -> ManualClock:
    """Fill a folder with entries, notes, sessions and model usage, and return the clock at their end.

    The English life mixes two languages; the Chinese one is all Chinese.
    """
    life = LIVES[language]
    clock = ManualClock(NOW - timedelta(days=80))
    (folder / "memory" / "sessions").mkdir(parents=True)
    chance = random.Random(7)  # noqa: S311
    with mock.patch.object(entry_module, "uuid4", side_effect=lambda: uuid.UUID(int=chance.getrandbits(128))):
        _entries(folder, clock, life)
    _notes(folder, life)
    _sessions(folder, life)
    _uses(folder)
    clock.set(NOW)
    return clock


def _entries(folder: Path, clock: ManualClock, life: Life) -> None:
    repository = EntryRepository(folder, clock=clock)
    access = RepositoryAccess(repository)
    ids = []
    for days, text, category, group in life.entries:
        clock.set(NOW - timedelta(days=days))
        who = "extraction" if days % 2 else "user"
        ids.append(remember(repository, NewEntry(text, category, group=group), who=who).entry.id)
        if len(ids) % 3 == 0:  # some are used again later
            clock.advance(_DAY // 2)
            remember(repository, NewEntry(life.entries[0][1], life.entries[0][2]), who="extraction")
    clock.set(NOW - timedelta(hours=20))
    access.edit(ids[2], EntryEdit(text=life.edited))
    clock.set(NOW - timedelta(hours=10))
    access.edit(ids[9], EntryEdit(score=0.15))
    access.add(life.forgotten)
    access.forget([next(one.id for one in access.entries().entries if one.content == life.forgotten)])
    clock.set(NOW - timedelta(hours=5))
    remember(repository, NewEntry(life.entries[3][1], life.entries[3][2]), who="extraction")


def _notes(folder: Path, life: Life) -> None:
    for number, (days, hour, tldr, details, tags, kind) in enumerate(life.notes):
        time = (NOW - timedelta(days=days)).replace(hour=hour, minute=5 * number)
        note = Note(tldr, details, kind, tags, origin=Origin.TOOL if kind is NoteType.BUG else Origin.USER)
        path = MemoryPaths.of(folder).day_note(time.date())
        with path.open("a", encoding="utf-8") as file:
            file.write(render_note(note, id=f"{number:016x}", time=time, scope=Scope(session="cli:direct")))


def _sessions(folder: Path, life: Life) -> None:
    paths = MemoryPaths.of(folder)
    for key, days, said in life.sessions:
        lines = b""
        for number, text in enumerate(said):
            role = ("user", "assistant")[number % 2]
            time = (NOW - timedelta(days=days)).replace(hour=8, minute=number)
            record = TranscriptRecord(
                role, text, key, Scope(session=key), Origin(role), id=f"{days}{number:015x}", time=time
            )
            lines += render_transcript_line(record)
        paths.transcript(key).write_bytes(lines)


def _uses(folder: Path) -> None:
    chance = random.Random(1)  # noqa: S311  # no secret: the pictures shall stay the same
    ledger = UsageLedger(StateDatabase.of(folder))
    for days in range(9, -1, -1):
        time = NOW - timedelta(days=days)
        for plugin, purpose, size in (("consolidation", "extraction", 1_900), ("summary", "summary", 2_600)):
            for _ in range(chance.randint(1, 5)):
                prompt, answer = chance.randint(size // 2, size), chance.randint(60, 240)
                seconds = chance.randint(9, 60) / 10
                outcome = "answered" if chance.random() > 0.1 else "CompletionTimeoutError"
                ledger.record(Usage(time, plugin, purpose, prompt, answer, seconds, outcome))
