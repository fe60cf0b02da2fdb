"""What is hidden in a memory, as it reaches the model of a real nanobot over HTTP, and the log."""

import loguru

from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.testing.scripted_server import Reply, ReplyRule
from tests.support.hostile_workspace import SEQUENCES, found_in, hostile, make_hostile_workspace

TAGS = SEQUENCES["tags"]
STEERING = ("clipboard", "conceal", "C1", "turned", "tags", "zero width", "annotation")


def whole(sequence: str, text: str) -> bool:
    """Say whether a character of a sequence that is not to be shown stands in a text."""
    return bool(found_in(SEQUENCES[sequence]) & found_in(text))


async def test_no_hidden_text_is_in_the_system_prompt_nor_beside_a_message(install, server):
    nanobot = install({"core": {"messageLimit": 20}, "storage": {"embeddingProvider": "none"}})
    hostile_one = make_hostile_workspace(nanobot.home)
    for file in MemoryPaths.of(hostile_one).memory.glob("2*.md"):
        (nanobot.workspace / "memory").mkdir(exist_ok=True)
        (nanobot.workspace / "memory" / file.name).write_bytes(file.read_bytes())
    (nanobot.workspace / "memory" / "MEMORY.md").write_text(f"# Mine\n\n{hostile('mine')[:-6]}", encoding="utf-8")
    (nanobot.workspace / "AGENTS.md").write_text(f"# Rules\n\nBe kind.{TAGS}\u202e\n", encoding="utf-8")
    remember(
        EntryRepository(nanobot.workspace), NewEntry(f"The user owns a zebra{TAGS}{SEQUENCES['turned']}"), who="test"
    )
    loop = nanobot.loop()
    await loop.process_direct("do you remember the zebra?", session_key="cli:new")
    await loop.aclose()
    request = next(one for one in server.requests if one.tool_names)
    assert "The user owns a zebra" in request.system
    assert "Be kind." in request.system
    assert "of-mine" in request.system
    assert "of-Note" in request.last_user
    seen = {
        (place, name) for place in ("system", "last_user") for name in STEERING if whole(name, getattr(request, place))
    }
    assert seen == set()


async def test_a_sessions_key_forges_no_line_of_the_log(install, server, tmp_path):
    log = tmp_path / "host.log"
    sink = loguru.logger.add(log, format="{name} {message}", filter="nanobot_memory_plugins", level="DEBUG")
    nanobot = install({"storage": {"embeddingProvider": "none"}})
    told = Reply(status=400, error="This model's maximum context length is 16385 tokens. However, you requested 20000.")
    server.rules = [ReplyRule(lambda request: True, told, times=1)]
    loop = nanobot.loop()
    await loop.process_direct("hello there", session_key=f"cli:a{SEQUENCES['line']}{SEQUENCES['conceal']}")
    await loop.aclose()
    loguru.logger.remove(sink)
    lines = log.read_text(encoding="utf-8").split("\n")[:-1]
    assert [line for line in lines if not line.startswith("nanobot_memory_plugins.")] == []
    assert any("overflow: cli:a" in line and "CRITICAL" in line for line in lines)
    assert found_in("\n".join(lines)) == set()
