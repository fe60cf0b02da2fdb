"""A memory with the flush plugin alone, and models that say what the test wants."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.files import NoteEntry, parse_notes

WINDOW = 200_000


class Model:
    """Answers what it is told to, and remembers what it was asked."""

    def __init__(self, answer: str | BaseException | Callable[[], Any] = "NO_REPLY") -> None:
        self.answer = answer
        self.asked: list[list[dict[str, str]]] = []

    async def __call__(self, messages, *, max_tokens: int, purpose: str) -> str:
        assert purpose == "flush"
        self.asked.append(messages)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return await self.answer() if callable(self.answer) else self.answer


def entries_json(*tldrs: str, quote: str = "") -> str:
    rows = [{"type": "decision", "tags": ["db"], "tldr": tldr, "details": "", "quote": quote} for tldr in tldrs]
    return json.dumps(rows, ensure_ascii=False)


def chat(*texts: str) -> list[dict[str, str]]:
    """Return a conversation, the user first."""
    return [{"role": "assistant" if n % 2 else "user", "content": text} for n, text in enumerate(texts)]


TALK = chat(
    "We decided to use PostgreSQL 16 on port 5433 for the Bluebird project.",
    "Understood, PostgreSQL 16 on port 5433.",
    "My colleague Marta reviews the migrations, and I prefer small commits.",
    "Noted.",
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def memory(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., MemoryHost]:
    """Make a host; made again, it is the next process."""
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "flush")

    def make(model: Any = None, *, core: dict[str, Any] | None = None, **more: Any) -> MemoryHost:
        clock = more.pop("clock", None)
        config = MemoryConfig.model_validate({"core": core or {}, "plugins": {"flush": more}})
        return MemoryHost(workspace, config=config, llm=model, clock=clock)

    return make


async def cut(memory: MemoryHost, messages: list[Any], *, session: str = "cli:direct", window: int = WINDOW) -> None:
    await memory.before_compaction(
        session_key=session, messages=messages, context_window=window, reason="token_pressure"
    )


def notes(workspace: Path) -> list[NoteEntry]:
    """Return every structured note of a workspace."""
    files = sorted((workspace / "memory").glob("*.md"))
    return [part for file in files for part in parse_notes(file.read_bytes()) if isinstance(part, NoteEntry)]
