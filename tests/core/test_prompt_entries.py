"""What is known for long, in the system prompt of any host, with a plugin that is found through its entry point."""

import asyncio
import sys

import pytest

from nanobot_memory_plugins.core import MemoryHost, PromptEntries
from nanobot_memory_plugins.core.testing import install_plugin

KNOWING = """
    from nanobot_memory_plugins.core import PromptEntries, hookimpl

    answers = []

    @hookimpl
    def prompt_entries(scope):
        answer = answers.pop(0)
        if isinstance(answer, str):
            return PromptEntries(text=answer.format(user=scope.user), long_term="rest")
        raise answer
"""


@pytest.fixture
def knowing(tmp_path, monkeypatch):
    folder = tmp_path / "site"
    folder.mkdir()
    install_plugin(folder, monkeypatch, "knowing", KNOWING)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "knowing")

    def answers(*values: object) -> None:
        sys.modules["third_party_knowing"].answers[:] = values

    return answers


async def test_a_plugin_says_what_is_known_without_being_awaited(knowing, tmp_path):
    async with MemoryHost(tmp_path) as memory:
        knowing("likes tea")
        assert memory.prompt_entries("whole file") == PromptEntries("likes tea", "rest")


async def test_without_a_plugin_the_long_term_file_stays_whole(tmp_path, monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "")
    async with MemoryHost(tmp_path) as memory:
        assert memory.prompt_entries("whole file") == PromptEntries("", "whole file")


async def test_the_last_answer_stands_in_for_a_plugin_that_fails(knowing, tmp_path):
    async with MemoryHost(tmp_path) as memory:
        knowing("likes tea", ValueError("broken"), ValueError("broken"))
        first = memory.prompt_entries("file")
        assert memory.prompt_entries("file") == first
        assert memory.prompt_entries("another file") == PromptEntries("likes tea", "another file")


async def test_a_prompt_knows_whose_it_is_by_its_session(knowing, tmp_path):
    async with MemoryHost(tmp_path) as memory:
        await memory.message_received(session_key="s", text="hello", scope={"user": "ada"})
        knowing("for {user}", "for {user}", "for {user}")
        assert memory.prompt_entries(session_key="s").text == "for ada"
        assert memory.prompt_entries(session_key="s", scope={"user": "bob"}).text == "for bob"
        assert await asyncio.to_thread(lambda: memory.prompt_entries(session_key="other").text) == "for "
