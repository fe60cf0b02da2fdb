"""A workspace of one agent and the days of its life: hosts that start and stop on it, what is said, what is kept."""

import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core import MemoryHost, Note, load_config
from nanobot_memory_plugins.core.testing import ManualClock
from nanobot_memory_plugins.tools.scripted_model import ToolCall
from tests.behaviour.kit.command import Done, run, run_beside
from tests.behaviour.kit.model import ReadingModel
from tests.behaviour.kit.model_client import over_http

START = datetime(2026, 2, 16, 14, 20, tzinfo=UTC)
KEY = "cli:direct"
# All plugins but the one for nanobot, which needs its loop.
PLUGINS = "storage,recall,observation,flush,summary,compaction,consolidation,bootstrap"
DAY = 86_400.0
# Limits that no busy machine reaches: what is shown is not the speed. Words alone, unless a test asks for vectors.
_PATIENT: Mapping[str, Any] = {
    "core": {"messageLimit": 60, "toolLimit": 60},
    "recall": {"recallTimeout": 60},
    "storage": {"embeddingProvider": "none"},
    "consolidation": {"consolidationSchedule": False},
}


@dataclass(slots=True)
class Life:
    """One agent's workspace. ``options`` are those of config.json, by plugin; ``model`` is wired where there is one."""

    folder: Path
    model: ReadingModel | None = None
    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    clock: ManualClock = field(default_factory=lambda: ManualClock(START))

    @property
    def workspace(self) -> Path:
        """The agent's folder."""
        return self.folder / "workspace"

    @property
    def memory(self) -> Path:
        """The folder of the files that people may read and edit."""
        return self.workspace / "memory"

    def configuration(self, **options: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Return what stands under ``memoryPlugins``, with these options for this one time."""
        merged: dict[str, dict[str, Any]] = {name: dict(values) for name, values in _PATIENT.items()}
        for given in (self.options, options):
            for name, values in given.items():
                merged.setdefault(name, {}).update(values)
        return merged

    @asynccontextmanager
    async def host(self, *, model: bool = True, **options: Mapping[str, Any]) -> AsyncIterator[MemoryHost]:
        """Start a host on the workspace, and close it; each one is a new process's place."""
        config = load_config(self.config_file(**options))
        assert config.problems == ()
        llm = over_http(self.model.base_url) if self.model is not None and model else None
        async with MemoryHost(self.workspace, config=config, llm=llm, clock=self.clock) as memory:
            yield memory

    def command(self, *arguments: object, **more: Any) -> Done:
        """Run `nanobot-memory` on the workspace."""
        return run(*arguments, **self._given(), **more)

    async def command_beside(self, *arguments: object, **more: Any) -> Done:
        """Run `nanobot-memory` on the workspace beside a running host."""
        return await run_beside(*arguments, **self._given(), **more)

    def entries(self, *arguments: object) -> list[dict[str, Any]]:
        """Return the entries as `entries list --json` gives them, archived ones included."""
        listed: list[dict[str, Any]] = self.command("entries", "list", "--json", *arguments).json["entries"]
        return listed

    def files_with(self, *words: str) -> list[str]:
        """Return the files of the workspace, of ours and of the index, that hold one of these words."""
        needles = [form for word in words for form in _forms(word)]
        return sorted(
            str(file.relative_to(self.workspace))
            for file in self.workspace.rglob("*")
            if any(needle in _bytes_of(file) for needle in needles)
        )

    def contents(self) -> dict[str, bytes]:
        """Return what people may read and edit, by the names of the files."""
        files = [path for path in self.memory.rglob("*") if path.is_file() and path.suffix != ".lock"]
        return {str(path.relative_to(self.memory)): path.read_bytes() for path in files}

    def transcript(self, session: str = KEY) -> list[dict[str, Any]]:
        """Return the records of a session's transcript, oldest first."""
        records = [
            json.loads(line)
            for file in sorted((self.memory / "sessions").glob("*.jsonl"))
            for line in file.read_text(encoding="utf-8").split("\n")
            if line
        ]
        return [record for record in records if record.get("session") == session]

    def _given(self) -> dict[str, Any]:
        return {"workspace": self.workspace, "config": self.config_file(), "clock": self.clock}

    def config_file(self, **options: Mapping[str, Any]) -> Path:
        """Write the configuration, with these options for this one time, and return its file."""
        file = self.folder / "config.json"
        file.write_text(json.dumps({"memoryPlugins": self.configuration(**options)}), encoding="utf-8")
        return file


def lived_once(live: Callable[[Life], Awaitable[None]]) -> Callable[[Life], Awaitable[None]]:
    """Let only the first life of a process be lived; the others begin with a copy of its workspace."""
    first: list[Path] = []

    async def lived(life: Life) -> None:
        if first:
            life.config_file()
            shutil.copytree(first[0], life.workspace)
        else:
            await live(life)
            first.append(shutil.copytree(life.workspace, life.folder / "lived"))

    return lived


def _bytes_of(file: Path) -> bytes:
    """Return what a file holds; a host may have taken it away since it was listed."""
    try:
        return file.read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        return b""


def _forms(word: str) -> list[bytes]:
    escaped = json.dumps(word)[1:-1]
    return [word.encode(), word.lower().encode(), escaped.encode()]


@dataclass(slots=True)
class Conversation:
    """One session of a host that keeps its own history, as chat APIs have it."""

    memory: MemoryHost
    key: str = KEY
    scope: Mapping[str, str] | None = None
    history: list[dict[str, Any]] = field(default_factory=list)

    async def turn(self, text: str, reply: str = "Noted.", *calls: ToolCall) -> str:
        """Say something, let the model call its tools and reply; return what memory put beside the message."""
        block = await self.hear(text)
        for call in calls:
            await self.call(call)
        await self.answer(reply)
        return block

    async def answer(self, reply: str) -> None:
        """Let the model reply to what was heard."""
        await self.memory.message_sent(session_key=self.key, text=reply, scope=self.scope)
        self.history.append({"role": "assistant", "content": reply})

    async def hear(self, text: str) -> str:
        """Say something, and return what memory put beside it; the reply is left to come."""
        context = await self.memory.message_received(
            session_key=self.key, text=text, history=list(self.history), scope=self.scope
        )
        self.history.append({"role": "user", "content": text})
        return context.block or ""

    async def call(self, call: ToolCall) -> str:
        """Let the model call one of the tools that memory offers, and return its answer."""
        tool = next(one for one in self.memory.tools() if one.name == call.name)
        return str(await tool.run(dict(call.arguments), session_key=self.key))

    async def idle(self, *, ended: bool = False) -> None:
        """Let the session have been quiet, or end."""
        await self.memory.session_idle(session_key=self.key, history=list(self.history), ended=ended, scope=self.scope)

    async def compact(self, *, window: int = 8_000, keep: bool = True) -> Any:
        """Compact the history as a host does under token pressure; return the summary."""
        summary = await self.memory.before_compaction(
            session_key=self.key,
            messages=list(self.history),
            context_window=window,
            reason="token_pressure",
            scope=self.scope,
        )
        if summary is not None and keep:
            self.history = [{"role": "user", "content": summary.text}, *self.history[summary.keep_from :]]
        return summary

    def prompt(self) -> str:
        """Return the entries as they stand in the system prompt of this session."""
        return self.memory.prompt_entries(session_key=self.key, scope=self.scope).text


async def keep_notes(memory: MemoryHost, *texts: str, session: str = KEY) -> None:
    """Keep notes of these texts, as a plugin would."""
    for text in texts:
        await memory.keep(Note(tldr=text), session_key=session)
