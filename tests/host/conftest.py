"""A memory service as adapters use it, with helpers to read what it has kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryService

FACT = "Our staging database listens on port 5433."
QUESTION = "Which port does our staging database listen on?"
CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 20, "tool_limit": 20},  # a busy machine keeps them
        "plugins": {"storage": {"embedding": {"provider": "none"}}, "recall": {"needThreshold": 0.0}},
    }
)


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryService]:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall,observation,compaction")
    with MemoryService(tmp_path, config=CONFIG) as service:
        yield service


def store_the_port(memory: MemoryService) -> None:
    memory.turn("told").received(FACT).now()
    memory.call(lambda host: host.flush_index(), limit=20).now()


def transcript(memory: MemoryService, session: str) -> list[tuple[str, str]]:
    """Return the roles and texts of a session's messages."""

    async def read(host):
        await host.flush_index()
        return [(one["role"], one["content"]) for one in host.history(session)]

    return memory.call(read, limit=20).now()


def notes(memory: MemoryService) -> str:
    """Return the notes of all days."""
    memory.call(lambda host: host.flush_index(), limit=20).now()
    return "".join(path.read_text() for path in (memory.workspace / "memory").glob("20*.md"))
