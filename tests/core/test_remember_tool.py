import pytest

from nanobot_memory_plugins.core.host.remember_tool import RememberNote
from nanobot_memory_plugins.core.protocols import MemoryTool
from nanobot_memory_plugins.core.values import Destination, Note, NoteType, Receipt


class Kept:
    def __init__(self, stored: bool = True) -> None:
        self.notes: list[tuple[Note, str]] = []
        self.stored = stored

    async def __call__(self, note: Note, session_key: str) -> Receipt:
        self.notes.append((note, session_key))
        return Receipt(stored=self.stored, id="ab12", line=7, reason="" if self.stored else "the disk is full")


async def test_the_model_keeps_a_note_and_learns_where_it_stands():
    kept = Kept()
    answer = await RememberNote(kept).run(
        {"text": "用户喜欢 Python", "kind": "decision", "tags": ["python"], "long_term": True}, session_key="cli:direct"
    )
    ((note, session),) = kept.notes
    assert (note.tldr, note.type, note.tags, session) == (
        "用户喜欢 Python",
        NoteType.DECISION,
        ("python",),
        "cli:direct",
    )
    assert note.destination is Destination.LONG_TERM
    assert "line 7" in answer
    assert "ab12" in answer


@pytest.mark.parametrize("arguments", [{}, {"text": ""}, {"text": 3}, {"text": "x", "kind": "poem"}])
async def test_wrong_arguments_are_named_and_nothing_is_kept(arguments):
    kept = Kept()
    answer = await RememberNote(kept).run(arguments, session_key="s")
    assert answer.startswith("Error")
    assert kept.notes == []


async def test_a_note_that_could_not_be_stored_is_not_claimed():
    assert "the disk is full" in await RememberNote(Kept(stored=False)).run({"text": "x"}, session_key="s")


def test_the_tool_tells_the_model_when_to_use_it():
    tool = RememberNote(Kept())
    assert isinstance(tool, MemoryTool)
    assert "own initiative" in tool.description
    assert tool.parameters["required"] == ["text"]
