"""Made-up lives, read from a file and run through a memory, with the context that it gives for each probe.

A line of the file is a person with dated sessions and with probes: messages that need something said earlier, or
nothing. A probe's ``needs`` are message ids; ``a|b`` means that either is enough.
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

from benchmarks.measure import patient_configuration, patient_configuration_by_words
from nanobot_memory_plugins.core import MemoryHost, Message, language_of
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.recall.block import day_in_words
from nanobot_memory_plugins.storage.store import SqliteStore

_A_MESSAGE = timedelta(seconds=45)


class LifeMessage(BaseModel):
    """A message of a life. ``telling`` are the parts of its text that a good answer uses."""

    model_config = ConfigDict(frozen=True)

    role: str
    text: str
    id: str = ""
    tool: Mapping[str, Any] | None = None
    telling: tuple[str, ...] = ()

    def as_history(self) -> dict[str, str]:
        """Return the message in the form of a host's history."""
        return {"role": self.role, "content": self.text}

    def as_message(self) -> Message:
        """Return the message in the form that recall takes."""
        return Message(self.role, self.text)


class Session(BaseModel):
    """The conversation of a day."""

    model_config = ConfigDict(frozen=True)

    key: str
    day: str
    messages: tuple[LifeMessage, ...]


class Probe(BaseModel):
    """A message to the memory after the life. ``history`` holds the earlier messages of its session."""

    model_config = ConfigDict(frozen=True)

    id: str
    text: str
    kind: str
    day: str
    needs: tuple[str, ...] = ()
    history: tuple[LifeMessage, ...] = ()

    @property
    def moment(self) -> datetime:
        """The time of the probe."""
        return _at(self.day) + timedelta(hours=1)


class Life(BaseModel):
    """A person with their sessions and the probes afterwards."""

    model_config = ConfigDict(frozen=True)

    persona: str
    sessions: tuple[Session, ...]
    probes: tuple[Probe, ...]

    def needed(self, probe: Probe) -> list[tuple[Session, LifeMessage]]:
        """Return the needed messages with their sessions, one of each ``a|b``."""
        places = {said.id: (session, said) for session in self.sessions for said in session.messages}
        return [places[need.split("|")[0]] for need in probe.needs]


@dataclass(frozen=True, slots=True)
class MessageContext:
    """The context of one message: the entries in the system prompt, and the recalled block."""

    entries: str = ""
    block: str = ""


def read_lives(file: Path) -> list[Life]:
    """Return the people in a file. Raises `pydantic.ValidationError` for a malformed line."""
    return [Life.model_validate_json(line) for line in file.read_text(encoding="utf-8").splitlines()]


def evidence(life: Life, probe: Probe) -> MessageContext:
    """Return the context of a perfect memory: only the needed messages, as lines with their days."""
    lines = [
        f"[{day_in_words(_at(session.day).date(), language_of(said.text))}] {said.role}: {said.text}"
        for session, said in life.needed(probe)
    ]
    return MessageContext(block="\n".join(lines))


def run_life(life: Life, probes: Sequence[Probe]) -> dict[str, MessageContext]:
    """Run a life without a language model, and return the memory's context for each probe by its id.

    The probes go to a memory without transcripts, so that no probe is remembered for the next one.
    """
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_lived(life, probes, Path(folder)))


@asynccontextmanager
async def remembered(life: Life, folder: Path, *, vectors: bool = True) -> AsyncIterator[SqliteStore]:
    """Run a life in a folder without a language model, and yield the open index of its messages."""
    config = patient_configuration() if vectors else patient_configuration_by_words()
    clock = ManualClock(_at(life.sessions[0].day))
    async with MemoryHost(folder, config=config, llm=None, clock=clock) as memory:
        for session in life.sessions:
            clock.set(_at(session.day))
            history = await _say(memory, clock, session.key, session.messages)
            await memory.session_idle(session_key=session.key, history=history, ended=True)
        await _settled(memory)
        assert isinstance(memory.store, SqliteStore)
        yield memory.store


async def _lived(life: Life, probes: Sequence[Probe], folder: Path) -> dict[str, MessageContext]:
    clock = ManualClock(_at(life.sessions[0].day))
    async with remembered(life, folder / "life"):
        pass
    shutil.copytree(folder / "life", folder / "asked")
    config = patient_configuration(keep_transcripts=False)
    async with MemoryHost(folder / "asked", config=config, llm=None, clock=clock) as memory:
        await _settled(memory)
        return {probe.id: await _ask(memory, clock, probe) for probe in probes}


async def _ask(memory: MemoryHost, clock: ManualClock, probe: Probe) -> MessageContext:
    clock.set(probe.moment)
    key = f"probe:{probe.id}"
    history = await _say(memory, clock, key, probe.history)
    context = await memory.message_received(session_key=key, text=probe.text, history=history)
    return MessageContext(memory.prompt_entries(session_key=key).text, context.block or "")


async def _say(
    memory: MemoryHost, clock: ManualClock, key: str, messages: Sequence[LifeMessage]
) -> list[dict[str, Any]]:
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
