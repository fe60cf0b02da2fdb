"""`nanobot-memory stats`: what is stored, how it grew, what is recalled; quickly, however much there is."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.host.recall_log import record_injection
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.values import ContextBlock, NoteType, Origin

NOW = datetime(2026, 3, 6, 12, tzinfo=UTC)
CONFIG = MemoryConfig.model_validate(
    {"plugins": {"storage": {"enabled": False}, "nanobot": {"enabled": False}, "recall": {"enabled": False}}}
)
TRICKY = 'He wrote "origin":"web","time":"1999-01-01" and\n{"id":"x"} on one line'


def told(workspace: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert run_command_line(["stats", "-w", str(workspace), "--json"]) == 0
    return json.loads(capsys.readouterr().out.splitlines()[-1])


async def test_messages_notes_and_entries_are_counted_by_kind_origin_and_month(tmp_path: Path, capsys):
    async with MemoryHost(tmp_path, config=CONFIG, clock=ManualClock(NOW)) as memory:
        await memory.message_received(session_key="cli:a", text=TRICKY)
        await memory.message_sent(session_key="cli:a", text="OK.")
        await memory.message_received(session_key="cli:b", text="again")
        await memory.keep(Note("the kiln is hot", details="type: bug\norigin: web", type=NoteType.DECISION))
        await memory.keep(Note("an old one", origin=Origin.USER, time=datetime(2025, 12, 24, 12, tzinfo=UTC)))
    (tmp_path / "memory" / "2026-03-07.md").write_text(
        "### 2026-03-07 10:00\nJust a heading of mine.\n\n### 2026-03-07 11:00\norigin: a village\n\nMine, too.\n"
    )
    entries = {"aaaa1111": Entry("aaaa1111", "likes tea", "fact", 0.9, NOW)}
    EntryRepository(tmp_path, clock=ManualClock(NOW)).update(lambda _: entries, who="test", why="made")
    found = told(tmp_path, capsys)
    assert found["messages"]["count"] == 3
    assert found["messages"]["origins"] == {"user": 2, "assistant": 1}
    assert found["messages"]["months"] == {"2026-03": 3}
    assert found["messages"]["files"] == 2
    assert found["notes"]["count"] == 2
    assert found["notes"]["kinds"] == {"decision": 1, "note": 1}
    assert found["notes"]["origins"] == {"assistant": 1, "user": 1}
    assert found["notes"]["months"] == {"2025-12": 1, "2026-03": 1}
    assert (found["entries"]["count"], found["entries"]["active"]) == (1, 1)
    assert found["entries"]["kinds"] == {"fact": 1}
    assert found["recall"]["since"] is None
    assert run_command_line(["stats", "-w", str(tmp_path)]) == 0
    assert "user 2, assistant 1" in capsys.readouterr().out


async def test_what_is_recalled_most_is_shown_with_its_words(tmp_path: Path, capsys):
    async with MemoryHost(tmp_path, config=CONFIG, clock=ManualClock(NOW)) as memory:
        message = (await memory.message_received(session_key="cli:a", text="The kiln fires at 900 degrees")).receipt
        note = await memory.keep(Note("Mei grows tea", details="On the northern slope."))
    entries = {
        id_: Entry(id_, f"the user likes {id_}", "fact", 0.9, NOW) for id_ in ("aaaa1111", "bbbb2222", "cccc3333")
    }
    EntryRepository(tmp_path, clock=ManualClock(NOW)).update(lambda _: entries, who="test", why="made")
    place = {one: one.path.relative_to(tmp_path).as_posix() for one in (message, note)}
    ids = {
        "said": f"{place[message]}#{message.id}",
        "noted": f"{place[note]}#{note.id}",
        "entry": "memory/ENTRIES.md#aaaa1111",
        "gone": "memory/ENTRIES.md#dddd4444",
        "outside": "../../etc/passwd#root",
    }
    state = StateDatabase.of(tmp_path)
    for names in (["said", "gone"], ["said", "noted", "gone"], ["said", "entry", "outside"], ["noted"], []):
        block = ContextBlock("block", tuple(ids[name] for name in names))
        record_injection(state, NOW, [block], tool_tokens=0, entries="")
    found = told(tmp_path, capsys)["recall"]
    assert (found["turns"], found["with_memories"], found["since"]) == (5, 4, "2026-03-06")
    assert [(one["times"], one["text"]) for one in found["most"]] == [
        (3, "The kiln fires at 900 degrees"),
        (2, "Mei grows tea"),
        (1, "the user likes aaaa1111"),
    ]
