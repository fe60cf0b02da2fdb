"""What is hidden in a memory, as it reaches the model of a real nanobot over HTTP."""

from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.files import MemoryPaths
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
