"""Entries in the system prompt, together with those of another plugin."""

import sys

import pytest

from nanobot_memory_plugins.core import MemoryHost

KNOWING_PLUGIN = """
    from nanobot_memory_plugins.core import PromptEntries, hookimpl

    answers = []

    @hookimpl
    def prompt_entries(scope):
        answer = answers.pop(0)
        if isinstance(answer, str):
            return PromptEntries(text=answer.format(user=scope.user), long_term="rest")
        raise answer
"""


RULE_PLUGIN = """
    from nanobot_memory_plugins.core import PromptEntries, hookimpl

    @hookimpl
    def prompt_entries(long_term):
        left = long_term.replace("- dinner at seven", "")
        return PromptEntries(text="House rule: dinner is at seven.", long_term=left)
"""


@pytest.mark.parametrize("name", ["aaa", "zzz"])  # before and after the plugin of the entries
async def test_another_plugin_can_add_a_line_to_the_entries(third_party, tmp_path, name):
    third_party(name, RULE_PLUGIN, "storage", "consolidation")
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "MEMORY.md").write_text(
        "# Notes\n\n- dinner at seven\n- the boat is blue\n", encoding="utf-8"
    )
    async with MemoryHost(tmp_path) as memory:
        for text in ("Remember that I am allergic to walnuts.", "From now on, answer in French."):
            await memory.message_received(session_key="cli:a", text=text)
        known = memory.prompt_entries(memory.base_context(), session_key="cli:a")
        assert known == memory.prompt_entries(memory.base_context(), session_key="cli:a")
    for part in ("- I am allergic to walnuts", "From now on, answer in French", "House rule: dinner is at seven."):
        assert known.text.count(part) == 1
        assert part not in known.long_term
    assert "the boat is blue" in known.long_term
    assert "dinner at seven" not in known.long_term


async def test_the_last_answer_of_a_failing_plugin_is_used_again(tmp_path, third_party):
    third_party("knowing", KNOWING_PLUGIN)
    third_party("rule", RULE_PLUGIN)
    async with MemoryHost(tmp_path) as memory:
        sys.modules["third_party_knowing"].answers[:] = ["likes tea", ValueError("broken"), "likes milk"]
        first = memory.prompt_entries("file")
        assert memory.prompt_entries("file") == first
        assert "likes tea" in first.text
        assert "House rule" in first.text
        changed = memory.prompt_entries("file").text
        assert changed == first.text.replace("tea", "milk")
