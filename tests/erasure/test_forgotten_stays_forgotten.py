"""What was purged does not come back out of the history that the host of a running session still holds."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.values.diagnosis import Health
from tests.support.files_of import holders_of

SAID = "my therapist is Doctor Zebulon Krieger in Marzipan Alley"
ORDER = f"Remember that {SAID}."
OTHER = "Remember that my dentist is Doctor Zelda Krueger in Marzipan Street."
TELLING = (b"Zebulon", b"zebulon", b"Marzipan Alley")
PLUGINS = {
    "nanobot": {"enabled": False},
    "storage": {"embedding_provider": "none"},
    "recall": {"recall_timeout": 30},
}
CONFIG = MemoryConfig.model_validate({"core": {"message_limit": 60, "tool_limit": 60}, "plugins": PLUGINS})
KEY = "cli:direct"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall,summary,flush,consolidation,observation,compaction")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    (tmp_path / "config.json").write_text(json.dumps({"memoryPlugins": PLUGINS}))
    return folder


class Conversation:
    """A session of a host that keeps its own history, as chat APIs have it."""

    def __init__(self, memory: MemoryHost, key: str = KEY) -> None:
        self.memory, self.key = memory, key
        self.history: list[dict[str, Any]] = []

    async def turn(self, text: str, answer: str) -> str:
        context = await self.memory.message_received(session_key=self.key, text=text, history=self.history)
        self.history.append({"role": "user", "content": text})
        await self.memory.message_sent(session_key=self.key, text=answer)
        self.history.append({"role": "assistant", "content": answer})
        return context.block or ""

    async def compaction(self) -> Any:
        return await self.memory.before_compaction(
            session_key=self.key, messages=self.history, context_window=8_000, reason="token_pressure"
        )

    async def idle(self, *, ended: bool = False) -> None:
        await self.memory.session_idle(session_key=self.key, history=self.history, ended=ended)

    async def turn_end(self) -> None:
        await self.memory.turn_finished(
            session_key=self.key, messages=self.history, context_window=8_000, context_tokens=7_900
        )


async def before_the_order(memory: MemoryHost) -> Conversation:
    conversation = Conversation(memory)
    await conversation.turn("Good morning, I am back from Lisbon.", "Good morning!")
    await conversation.turn(ORDER, f"Noted: {SAID}.")
    await conversation.turn(OTHER, "Noted, your dentist.")
    return conversation


def _where(workspace: Path) -> list[str]:
    return ["--workspace", str(workspace), "--config", str(workspace.parent / "config.json")]


async def purge(workspace: Path, *arguments: str) -> None:
    command = ["purge", *arguments, "--yes", "--json", *_where(workspace)]
    assert await asyncio.to_thread(run_command_line, command) == 0


def entry_of(workspace: Path, words: str) -> str:
    (id_,) = [id_ for id_, one in EntryRepository(workspace).load().entries.items() if words in one.content]
    return id_


def holders(workspace: Path, needles: tuple[bytes, ...] = TELLING) -> list[str]:
    return holders_of(workspace, *needles)


NEXT = {
    "compaction": ("compaction",),
    "idle": ("idle",),
    "turn end": ("turn_end",),
    "all": ("idle", "compaction", "turn_end"),
}


@pytest.mark.parametrize("calls", NEXT.values(), ids=NEXT)
async def test_nothing_of_it_comes_back_from_the_history_of_the_host(workspace: Path, calls: tuple[str, ...]):
    async with MemoryHost(workspace, config=CONFIG) as memory:
        conversation = await before_the_order(memory)
        await purge(workspace, entry_of(workspace, "Zebulon"))
        assert holders(workspace) == []
        for call in calls:
            await getattr(conversation, call)()
        await memory.flush_index()
        assert holders(workspace) == []
        block = await Conversation(memory, "cli:new").turn("Who is my therapist, and where?", "I do not know.")
        assert "Zebulon" not in block
        assert "Zelda" in await Conversation(memory, "cli:more").turn("Who is my dentist?", "One moment.")
    async with MemoryHost(workspace, config=CONFIG) as memory:
        again = Conversation(memory)
        again.history = conversation.history
        await again.idle()
        await again.compaction()
        assert "Zebulon" not in await Conversation(memory, "cli:third").turn("Who is my therapist?", "I do not know.")
    assert holders(workspace) == []
    assert holders(workspace, (b"Zelda Krueger",)) != []


@pytest.mark.slow
async def test_a_running_host_notices_the_order_of_another_process(workspace: Path):
    async with MemoryHost(workspace, config=CONFIG) as memory:
        conversation = await before_the_order(memory)
        command = [sys.executable, "-m", "nanobot_memory_plugins.core.cli", "purge", entry_of(workspace, "Zebulon")]
        command += ["--yes", "--json", *_where(workspace)]
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=True)
        assert json.loads(done.stdout.splitlines()[-1])["ok"]
        await conversation.compaction()
        # The model has it before its eyes, and says it again.
        await conversation.turn("Where do I go on Monday?", f"To Krieger: {SAID}. At nine.")
    assert holders(workspace) == []


async def test_without_the_key_nothing_is_taken_from_histories_and_what_is_said_is_kept(workspace: Path):
    async with MemoryHost(workspace, config=CONFIG) as memory:
        conversation = await before_the_order(memory)
        await purge(workspace, entry_of(workspace, "Zebulon"))
        (workspace / "memory" / ".erasure" / "key").unlink()
        assert await conversation.compaction() is None
        await conversation.idle()
        await conversation.turn("The meeting is on Friday at noon.", "Noted.")
        (found,) = [one for one in await memory.diagnose() if one.health is Health.BAD]
        assert "key" in found.state
        assert "copy" in found.hint
    assert holders(workspace) == []
    assert holders(workspace, (b"Friday at noon",)) != []
