"""Questions about a period list its conversations, end to end."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.core.cli.main import app
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.files.paths import session_file_name
from tests.support.patient import patient_config

CONFIG = patient_config()
NOW = datetime(2026, 6, 24, 10, tzinfo=UTC)
SAID = (
    (datetime(2026, 6, 23, 9, tzinfo=UTC), "a", "The boiler was serviced, it lost pressure."),
    (datetime(2026, 6, 23, 11, tzinfo=UTC), "b", "Elsie wants to learn the cello."),
    (datetime(2026, 6, 17, 9, tzinfo=UTC), "c", "I handed in my notice at the mill."),
    (datetime(2026, 5, 6, 11, tzinfo=UTC), "d", "Yesterday the boiler cost us ninety pounds."),
)


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch):
    if not hasattr(time, "tzset"):
        pytest.skip("the zone of a process cannot be set")

    def put(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield put
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def only_our_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Load only our plugins: others could withhold something and would have to be called."""
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall,consolidation")


@pytest.fixture
async def memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zone: Callable[[str], None]
) -> AsyncIterator[MemoryHost]:
    zone("UTC")
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall")
    clock = ManualClock(NOW)
    async with MemoryHost(tmp_path, config=CONFIG, clock=clock) as host:
        for moment, session, text in SAID:
            clock.set(moment)
            await host.message_received(session_key=session, text=text)
            await host.message_sent(session_key=session, text="Thank you, noted.")
        await host.flush_index()
        clock.set(NOW)
        yield host


async def tool(memory: MemoryHost, session: str = "now", **arguments: object) -> str:
    found = memory.tool("memory_search")
    assert found is not None
    return await found.run(arguments, session_key=session)


async def test_the_tool_lists_conversations_for_dates_without_words(memory: MemoryHost):
    told = await tool(memory, since="2026-06-15", until="2026-06-23")
    assert 0 < told.index("notice") < told.index("boiler was serviced") < told.index("cello")
    assert "a | 2 messages | id " in told
    assert "ninety" not in told
    assert "notice" not in (cut := await tool(memory, since="2026-06-15", limit=2))
    assert "(Earlier conversations are left out" in cut
    assert await tool(memory, until="2025") == "Nothing was found in memory."
    newest = await tool(memory, since="2026-06-15", source="transcript", origin="user")
    assert newest.index("cello") < newest.index("boiler") < newest.index("notice")  # a plain list, the newest first


def command(workspace: Path, *arguments: str) -> str:
    result = CliRunner().invoke(app, ["timeline", *arguments, "--workspace", str(workspace)])
    assert result.exit_code == 0, result.output
    return result.stdout


async def test_the_command_lists_sessions_and_days_newest_last(memory: MemoryHost):
    await memory.close()
    lines = (await asyncio.to_thread(command, memory.workspace)).splitlines()
    assert [line.split("  ")[:3] for line in lines] == [
        ["2026-05-06", "d", "2 messages"],
        ["2026-06-17", "c", "2 messages"],
        ["2026-06-23", "a", "2 messages"],
        ["2026-06-23", "b", "2 messages"],
    ]
    assert "I handed in my notice" in lines[1]
    assert "Thank you, noted." in await asyncio.to_thread(command, memory.workspace, "--all")
    assert "No conversation" in await asyncio.to_thread(command, memory.workspace, "--until", "2025")
    for arguments, sessions in (
        (("--since", "2026-06", "--until", "2026-06-17"), ["c"]),
        (("--session", "b"), ["b"]),
        (("-n", "1"), ["b"]),
        (("2026-05",), ["d"]),
    ):
        found = json.loads(await asyncio.to_thread(command, memory.workspace, *arguments, "--json"))
        assert [row["session"] for row in found["conversations"]] == sessions


def rows(workspace: Path, *arguments: str) -> list[dict[str, object]]:
    return json.loads(command(workspace, *arguments, "--json"))["conversations"]


@pytest.mark.usefixtures("only_our_plugins")
def test_all_messages_of_long_conversations_are_counted(tmp_path: Path, zone):
    zone("UTC")
    (tmp_path / "memory" / "sessions").mkdir(parents=True)
    for number in range(2):
        lines = (
            {
                "id": f"{number}-{n}",
                "role": "user",
                "text": f"message {n} about topic {number}",
                "session": f"cli:{number}",
            }
            | {"time": (NOW - timedelta(minutes=700 - n)).isoformat()}  # from the evening before
            for n in range(700)
        )
        file = tmp_path / "memory" / "sessions" / session_file_name(f"cli:{number}")
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    found = rows(tmp_path)
    assert [(row["day"], row["messages"]) for row in found] == [("2026-06-23", 100)] * 2 + [("2026-06-24", 600)] * 2
    assert found[0]["about"].startswith("message 0 about")
    assert found[3]["about"].startswith("message 100 about")
    assert [row["day"] for row in rows(tmp_path, "-n", "3")] == ["2026-06-23"] + ["2026-06-24"] * 2
    assert [row["messages"] for row in rows(tmp_path, "--session", "cli:1", "--since", "2026-06-24T09:00Z")] == [60]
    assert rows(tmp_path, "--user", "ana") == []
