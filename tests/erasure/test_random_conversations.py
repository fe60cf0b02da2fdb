"""Conversations that go on after a purge, drawn at random: none of the words comes back, and nothing else is lost.

``NANOBOT_MEMORY_EXAMPLES=200`` draws more.
"""

import asyncio
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.cli.main import run_command_line
from tests.support.files_of import contents_of

EXAMPLES = int(os.environ.get("NANOBOT_MEMORY_EXAMPLES", "2"))
WORDS = "my therapist is Doctor Zebulon Krieger in Marzipan Alley"
SAID = (f"You know, {WORDS}.", f"Hi. By the way, {WORDS}! Is that far?", f"I want that known: {WORDS}")
OTHERS = (
    "Remember that my dentist is Doctor Zelda Krueger in Marzipan Street.",
    "We decided to move the plant to Lisbon in March.",
    "I prefer short answers, always.",
    "My therapist said that I should sleep more in winter.",
    "请记住，我的牙医在人民路。",
    "The password rules must change because of the audit.",
)
MADE = (f"Noted: {WORDS}.", f"You go to Krieger: {WORDS}. At nine.", "Understood, I will use it.")
CALLS = ("compaction", "idle", "turn end", "tool", "answer", "other", "restart", "new session")
PLUGINS = {name: {"enabled": False} for name in ("nanobot", "storage", "recall", "bootstrap")}
CONFIG = MemoryConfig.model_validate({"core": {"message_limit": 60, "tool_limit": 60}, "plugins": PLUGINS})
NEEDLES = (b"Zebulon", b"zebulon", b"ZEBULON", b"Marzipan Alley")


@pytest.fixture(autouse=True)
def _few_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "flush,summary,compaction,consolidation,observation")


class World:
    """A workspace, and a host's own history of one session in it."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder
        self.history: list[dict[str, Any]] = []

    async def turn(self, memory: MemoryHost, text: str, answer: str) -> None:
        await memory.message_received(session_key="s", text=text, history=self.history)
        self.history.append({"role": "user", "content": text})
        await memory.message_sent(session_key="s", text=answer)
        self.history.append({"role": "assistant", "content": answer})

    async def call(self, memory: MemoryHost, kind: str, number: int) -> None:
        key: dict[str, Any] = {"session_key": "s"}
        if kind == "compaction":
            await memory.before_compaction(messages=self.history, context_window=8_000, reason="archive", **key)
        elif kind == "idle":
            await memory.session_idle(history=self.history, **key)
        elif kind == "turn end":
            await memory.turn_finished(messages=self.history, context_window=8_000, context_tokens=7_900, **key)
        elif kind == "tool":
            said = {"text": MADE[number % 2], "n": number}
            await memory.tool_executed(tool_name="mail", arguments=said, result=json.dumps(said), **key)
        elif kind == "answer":
            await self.turn(memory, f"Question number {number}?", MADE[number % 3])
        elif kind == "other":
            await self.turn(memory, OTHERS[number % len(OTHERS)], "Understood.")

    def stored(self) -> bytes:
        return b"\n".join(contents_of(self.workspace).values())

    def notes(self) -> str:
        """Return what stands in notes and transcripts, and what waits to be learned from."""
        memory = self.workspace / "memory"
        files = [*memory.glob("*.md"), *memory.glob("sessions/*.jsonl")]
        waiting = [json.loads(path.read_text()) for path in memory.glob(".entries/pending/*.json")]
        return "\n".join([*(path.read_text() for path in sorted(files)), json.dumps(waiting, ensure_ascii=False)])

    def purge(self) -> None:
        config = self.workspace.parent / "config.json"
        config.write_text(json.dumps({"memoryPlugins": PLUGINS}))
        command = ["purge", "--text", WORDS, "--yes", "--workspace", str(self.workspace), "--config", str(config)]
        assert run_command_line(command) == 0


async def live(world: World, before: list[int], said: int, place: int, after: list[str], *, purge: bool) -> None:
    texts = [OTHERS[one] for one in before]
    texts.insert(place % (len(texts) + 1), SAID[said])
    async with MemoryHost(world.workspace, config=CONFIG) as memory:
        for text in texts:
            await world.turn(memory, text, MADE[0] if text == SAID[said] else "Understood.")
        if purge:
            await asyncio.to_thread(world.purge)
            assert not any(one in world.stored() for one in NEEDLES)
        rest = list(enumerate(after))
        while rest and rest[0][1] != "restart":
            await step(world, memory, *rest.pop(0))
    for number, kind in rest:
        async with MemoryHost(world.workspace, config=CONFIG) as memory:
            await step(world, memory, number, kind)


async def step(world: World, memory: MemoryHost, number: int, kind: str) -> None:
    if kind == "new session":
        await memory.message_received(session_key=f"n{number}", text="Who is it?", history=[])
    else:
        await world.call(memory, kind, number)


@given(
    st.lists(st.sampled_from(range(len(OTHERS))), min_size=1, max_size=4),
    st.sampled_from(range(len(SAID))),
    st.integers(0, 4),
    st.lists(st.sampled_from(CALLS), min_size=2, max_size=7),
)
@settings(max_examples=EXAMPLES, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
def test_no_word_comes_back_and_every_other_message_is_kept_as_without_the_purge(before, said, place, after):
    with tempfile.TemporaryDirectory() as folder:
        worlds = []
        for name in ("purged", "as it was"):
            world = World(Path(folder) / name)
            (world.workspace / "memory").mkdir(parents=True)
            asyncio.run(live(world, before, said, place, after, purge=name == "purged"))
            worlds.append(world)
        purged, as_it_was = worlds
        assert not any(one in purged.stored() for one in NEEDLES)
        assert WORDS.encode() in as_it_was.stored()
        for text in OTHERS:
            assert (text in purged.notes()) == (text in as_it_was.notes()), text
