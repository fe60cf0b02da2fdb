"""Made-up lives, read from a file and lived through a memory: what it puts beside each message that is asked of it.

A line of the file is a person, with dated sessions and with probes: messages that need something said before, or
nothing. `message ids` of a probe's ``needs`` may name two, ``a|b``, of which either is enough.
"""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from benchmarks.measure import unhurried, unhurried_by_words
from nanobot_memory_plugins.core import MemoryHost, Message, language_of
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.recall.block import day_in_words
from nanobot_memory_plugins.storage.store import SqliteStore

_A_MESSAGE = timedelta(seconds=45)


class Said(BaseModel):
    """A message of a life. ``telling`` are the parts of its text that a good answer draws upon."""

    model_config = ConfigDict(frozen=True)

    role: str
    text: str
    id: str = ""
    tool: Mapping[str, Any] | None = None
    telling: tuple[str, ...] = ()

    def as_history(self) -> dict[str, str]:
        """Return the message as a host's history holds it."""
        return {"role": self.role, "content": self.text}

    def as_message(self) -> Message:
        """Return the message as recall takes it."""
        return Message(self.role, self.text)


class Session(BaseModel):
    """A day's conversation."""

    model_config = ConfigDict(frozen=True)

    key: str
    day: str
    messages: tuple[Said, ...]


class Probe(BaseModel):
    """A message that is asked of the memory after the life; ``history`` is what was said before it in its session."""

    model_config = ConfigDict(frozen=True)

    id: str
    text: str
    kind: str
    day: str
    needs: tuple[str, ...] = ()
    history: tuple[Said, ...] = ()

    @property
    def moment(self) -> datetime:
        """When it is asked."""
        return _at(self.day) + timedelta(hours=1)


class Life(BaseModel):
    """A person, what was said in which session, and what is asked afterwards."""

    model_config = ConfigDict(frozen=True)

    persona: str
    sessions: tuple[Session, ...]
    probes: tuple[Probe, ...]

    def needed(self, probe: Probe) -> list[tuple[Session, Said]]:
        """Return the messages that hold what the probe needs, with their sessions, one of each ``a|b``."""
        places = {said.id: (session, said) for session in self.sessions for said in session.messages}
        return [places[need.split("|")[0]] for need in probe.needs]


@dataclass(frozen=True, slots=True)
class Beside:
    """What a memory gives for one message: the entries of the system prompt, and the block beside the message."""

    entries: str = ""
    block: str = ""


def read_lives(file: Path) -> list[Life]:
    """Return the people in a file. Raises `pydantic.ValidationError` for a line that is none."""
    return [Life.model_validate_json(line) for line in file.read_text(encoding="utf-8").splitlines()]


def evidence(life: Life, probe: Probe) -> Beside:
    """Return what a perfect memory would give: the needed messages as lines with their days, and nothing else."""
    lines = [
        f"[{day_in_words(_at(session.day).date(), language_of(said.text))}] {said.role}: {said.text}"
        for session, said in life.needed(probe)
    ]
    return Beside(block="\n".join(lines))


def lived(life: Life, probes: Sequence[Probe]) -> dict[str, Beside]:
    """Live a life, without a language model, and return what the memory gives for each probe, by its id.

    The probes are asked of a memory that keeps no transcripts, so that none becomes a memory of the next.
    """
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_lived(life, probes, Path(folder)))


@asynccontextmanager
async def remembered(life: Life, folder: Path, *, vectors: bool = True) -> AsyncIterator[SqliteStore]:
    """Live a life in a folder, without a language model, and give the index of what was said, while it is open."""
    config = unhurried() if vectors else unhurried_by_words()
    clock = ManualClock(_at(life.sessions[0].day))
    async with MemoryHost(folder, config=config, llm=None, clock=clock) as memory:
        for session in life.sessions:
            clock.set(_at(session.day))
            history = await _say(memory, clock, session.key, session.messages)
            await memory.session_idle(session_key=session.key, history=history, ended=True)
        await _settled(memory)
        assert isinstance(memory.store, SqliteStore)
        yield memory.store


async def _lived(life: Life, probes: Sequence[Probe], folder: Path) -> dict[str, Beside]:
    clock = ManualClock(_at(life.sessions[0].day))
    async with remembered(life, folder / "life"):
        pass
    shutil.copytree(folder / "life", folder / "asked")
    config = unhurried(keep_transcripts=False)
    async with MemoryHost(folder / "asked", config=config, llm=None, clock=clock) as memory:
        await _settled(memory)
        return {probe.id: await _ask(memory, clock, probe) for probe in probes}


async def _ask(memory: MemoryHost, clock: ManualClock, probe: Probe) -> Beside:
    clock.set(probe.moment)
    key = f"probe:{probe.id}"
    history = await _say(memory, clock, key, probe.history)
    context = await memory.message_received(session_key=key, text=probe.text, history=history)
    return Beside(memory.prompt_entries(session_key=key).text, context.block or "")


async def _say(memory: MemoryHost, clock: ManualClock, key: str, messages: Sequence[Said]) -> list[dict[str, Any]]:
    history: list[dict[str, Any]] = []
    for said in messages:
        clock.set(clock.now() + _A_MESSAGE)
        if said.tool is not None:
            name, arguments = said.tool["name"], said.tool["arguments"]
            await memory.tool_executed(session_key=key, tool_name=name, arguments=arguments, result=said.text)
            continue
        if said.role == "user":
            await memory.message_received(session_key=key, text=said.text, history=list(history))
        else:
            await memory.message_sent(session_key=key, text=said.text)
        history.append(said.as_history())
    return history


async def _settled(memory: MemoryHost) -> None:
    await memory.flush_index()
    assert isinstance(memory.store, SqliteStore)
    await memory.store.vectors_complete()


def _at(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(hour=10, tzinfo=UTC)
