"""The user's own prompts and wishes: they reach the model, and a file that cannot be used costs nothing but itself."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.compaction.plugin import CompactionPlugin
from nanobot_memory_plugins.consolidation.plugin import ConsolidationPlugin
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.files.prompts import Prompts
from nanobot_memory_plugins.core.session_reading.templates import PROMPTS, READING
from tests.behaviour.kit.long_talk import chat


class Model:
    """Finds the same in whatever it reads, and remembers how it was asked."""

    def __init__(self) -> None:
        self.instructions: list[str] = []

    async def __call__(self, messages: Sequence[Any], *, max_tokens: int, purpose: str) -> str:
        self.instructions.append(messages[0]["content"])
        return json.dumps([{"content": FACT, "category": "fact", "importance": "high", "said": "I moved to Leipzig"}])


FACT = "The user lives in Leipzig"
OWN = "My own instruction.{wishes}\n{questions}\n--- user\n{conversation}\n"
NEVER = "nothing about health\nnever the names of my children"
TOLD = chat("I moved to Leipzig last week and rent a flat there.", "Nice.")
FAULTS = {
    "lacks a placeholder": ("Mine.{wishes}{questions}\n--- user\nNothing here\n", "lacks {conversation}"),
    "lacks the wishes": ("Mine.{questions}\n--- user\n{conversation}\n", "lacks {wishes}"),
    "has an unknown one": (OWN + "{converstion}\n", "has {converstion}, which nothing fills in"),
    "is empty": (" \n", "does not end with"),
    "is no UTF-8": (b"\xff\xfe\x00 {conversation}", "cannot be read (UnicodeDecodeError)"),
    "asks nothing": (OWN + "--- assistant\nHello\n", "does not end with"),
    "has no part of the user's": ("Mine {conversation}{questions}{wishes}\n", "does not end with"),
}


@pytest.fixture
def workspace(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "consolidation")
    return tmp_path / "workspace"


async def learned(workspace: Path, model: Model, **core: str) -> list[str]:
    """Return what was learned of a session, and what doctor says of prompts."""
    async with MemoryHost(workspace, config=MemoryConfig.model_validate({"core": core}), llm=model) as memory:
        await memory.session_idle(session_key="cli:one", history=TOLD, ended=True)
        findings = await memory.diagnose()
    assert [one.content for one in EntryRepository(workspace).load().entries.values()] == [FACT]
    return [f"{one.health.value}: {one.state} {one.hint}" for one in findings if one.subject == "own prompts"]


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_file_that_cannot_be_used_is_told_of_and_the_built_in_prompt_is_used(workspace, fault, warnings):
    content, wanted = FAULTS[fault]
    folder = workspace / "mine"
    folder.mkdir(parents=True)
    file = folder / "reading.en.md"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    model = Model()
    _, told = await learned(workspace, model, wishes=NEVER, prompt_folder=str(folder))
    assert model.instructions[0].startswith("You read a conversation")
    for text in (told, "\n".join(warnings)):
        assert f"The prompt {file} {wanted}" in text
        assert f"the built-in one is used, as it stands in {READING.folder / 'reading.en.md'}" in text


async def test_a_folder_that_is_not_there_is_told_of(workspace):
    (told,) = await learned(workspace, Model(), prompt_folder=str(workspace / "mine"))
    assert f"there is no folder {workspace / 'mine'}" in told
    assert told.startswith("degraded")


BUILT_IN = (*PROMPTS, *CompactionPlugin.prompt_files, *ConsolidationPlugin.prompt_files)


def test_a_copy_of_each_built_in_prompt_can_be_used(tmp_path):
    for prompt in BUILT_IN:
        for language in ("en", "zh"):
            (tmp_path / prompt.file(language)).write_text(prompt.built_in(language), "utf-8")
            assert prompt.own(tmp_path, language, wishes=True) == prompt.built_in(language)
            assert "{" not in "".join(Prompts(wishes="x").fixed_texts(prompt, language)).replace('{"', "")


def test_wishes_reach_all_prompts_that_learn_and_no_others():
    told = {
        prompt.name
        for prompt in BUILT_IN
        for language in ("en", "zh")
        if NEVER in "".join(one["content"] for one in Prompts(wishes=NEVER).rendered(prompt, language, {}))
    }
    assert told == {"reading", "consolidation"}
