"""Secrets that no single text shows: answers to the message before, tags, notes in two fields, tokens in two parts."""

import re
from random import Random

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note
from tests.redaction.shapes import VENDOR_TOKENS
from tests.support.files_of import text_of

CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 30, "tool_limit": 30},
        "plugins": {"recall": {"recall_timeout": 20}, "storage": {"embedding_provider": "none"}},
    }
)
TOKEN = VENDOR_TOKENS["github"](Random(3))


def everything_in(workspace) -> str:
    return text_of(workspace)


async def test_the_answer_to_a_question_in_the_message_before_is_in_no_file(tmp_path):
    asked = [
        {"role": "user", "content": "Let me in, please."},
        {"role": "assistant", "content": "Gladly. What is the gate code?"},
        {"role": "user", "content": "it's 77319, and hurry"},
    ]
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await memory.message_received(session_key="cli:one", text=asked[0]["content"])
        await memory.message_sent(session_key="cli:one", text=asked[1]["content"])
        await memory.message_received(session_key="cli:one", text=asked[2]["content"], history=asked[:2])
        await memory.before_compaction(
            session_key="cli:one", messages=asked * 30, context_window=8_000, reason="token_pressure"
        )
        await memory.session_idle(session_key="cli:one", history=asked)
        await memory.flush_index()
    kept = everything_in(tmp_path)
    assert "it's [REDACTED], and hurry" in kept
    assert re.search(r"(?<![0-9a-f.])77319(?![0-9a-f])", kept) is None  # in an id or a time it may stand by chance


async def test_a_tag_or_a_title_that_is_the_secret_of_its_note_is_hidden_with_it(tmp_path):
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        for secret in ("Tundra$77wV", "correcthorse", "7731-42"):
            await memory.keep(Note("a note", f"my wifi password is {secret}.", tags=(secret, "wifi"), title=secret))
    kept = everything_in(tmp_path)
    assert not any(secret in kept for secret in ("Tundra$77wV", "correcthorse"))
    assert "wifi" in kept


async def test_details_are_read_with_the_line_above_that_announces_them(tmp_path):
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await memory.keep(Note("My password is", "tangerine42x\nand I like tea"))
        await memory.keep(Note("The plan is", "to leave at 12 on Friday"))
    kept = everything_in(tmp_path)
    assert "tangerine42x" not in kept
    assert "and I like tea" in kept
    assert "to leave at 12 on Friday" in kept


@pytest.mark.parametrize("cut", [8, 14, 20, 30])
async def test_of_a_token_that_two_results_or_two_parts_share_no_rest_is_kept(tmp_path, cut):
    head, tail = TOKEN[:-cut], TOKEN[-cut:]
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        for result in (f"line one {head}", f"{tail} and the end", [{"text": f"see {head}"}, {"text": f"{tail} more"}]):
            await memory.tool_executed(session_key="cli:one", tool_name="exec", arguments={}, result=result)
    kept = everything_in(tmp_path)
    assert tail not in kept
    assert "and the end" in kept
    assert "more" in kept
