"""How often a text is looked through for secrets on its way into its file."""

import pytest

from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.redaction.engine.redactor import Redactor

TEXT = "We fly to Zanzibar on flight 447 tomorrow."


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    seen: list[str] = []
    find = Redactor._find

    def counted(self: Redactor, text: str, *more: object) -> object:
        seen.append(text)
        return find(self, text, *more)

    monkeypatch.setattr(Redactor, "_find", counted)
    return seen


async def test_a_message_and_a_reply_are_looked_through_once_and_a_tools_result_beside_its_cut(
    tmp_path, looked_at: list[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "observation,storage,recall,consolidation")

    def passes() -> int:
        count = sum("Zanzibar" in text for text in looked_at)
        looked_at.clear()
        return count

    history = []
    async with MemoryHost(tmp_path) as memory:
        for number in range(3):
            text = f"{TEXT} {number}"
            await memory.message_received(session_key="a", text=text, history=history)
            history.append({"role": "user", "content": text})
            assert passes() == 1
            await memory.message_sent(session_key="a", text=text)
            history.append({"role": "assistant", "content": text})
            assert passes() == 1
        await memory.tool_executed(session_key="a", tool_name="exec", arguments={"to": "Lund"}, result=TEXT)
        assert passes() == 2  # before it is cut, and with the note that it is cut for
