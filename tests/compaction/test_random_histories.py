"""Compaction ends with a summary that fits, for any messages, window and model.

``NANOBOT_MEMORY_HISTORIES=10000`` tries that many histories instead of 150.
"""

import asyncio
import os

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from loguru import logger

from nanobot_memory_plugins.compaction.history import call_ids, result_ids
from nanobot_memory_plugins.compaction.options import CompactionOptions
from nanobot_memory_plugins.compaction.plugin import CompactionPlugin
from nanobot_memory_plugins.compaction.token_budget import RESERVE_SHARE
from nanobot_memory_plugins.core.errors import CompletionTimeoutError, LanguageModelError
from nanobot_memory_plugins.core.text.conversation import message_tokens
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values.conversation import Message, messages_from_chat
from tests.compaction.conftest import Model, context_with
from tests.compaction.histories import HISTORY, TEXT, WINDOW
from tests.support.examples import examples

COUNT = int(os.environ.get("NANOBOT_MEMORY_HISTORIES", "150"))
OPTIONS = CompactionOptions()

ANSWER = st.one_of(
    st.none(),
    TEXT,
    st.just(LanguageModelError("down")),
    st.just(CompletionTimeoutError("late")),
    st.just(RuntimeError("?")),
    st.sampled_from(["I'm sorry, I can't help.", '{"a": [', "NO_REPLY", "- Decision: plan B, port 8443", b"bytes", 3]),
    st.just(lambda prompt: "- notes: " + prompt[-1]["content"][30:5_000]),
)


def left_out(messages: tuple[Message, ...], keep_from: int) -> set[int]:
    """Return the indexes of results whose call was cut."""
    owners: dict[str, int] = {}
    torn = set()
    for index, message in enumerate(messages):
        for one in result_ids(message):
            if one in owners and owners[one] < keep_from <= index:
                torn.add(index)
        for one in call_ids(message):
            owners[one] = index
    return torn


@pytest.mark.accept("AC-07")
@example(
    history=[
        {
            "role": "assistant",
            "content": "[Summary of the earlier conversation]",
            "tool_calls": [{"id": "c1", "function": {"name": "exec", "arguments": ""}}],
        },
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "tool", "tool_call_id": "c1", "content": ""},
    ],
    window=0,
    room=None,
    answer=None,
    reason="token_pressure",
    times=1,
)
@settings(max_examples=examples(COUNT), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    HISTORY,
    WINDOW,
    st.one_of(st.none(), st.integers(-3, 50_000)),
    ANSWER,
    st.sampled_from(["token_pressure", "command", "session_ended"]),
    st.integers(1, 3),
)
def test_any_history_is_compacted(history, window, room, answer, reason, times):
    messages = messages_from_chat(history)
    model = None if answer is None else Model(answer)
    room = window if room is None else room
    plugin = CompactionPlugin()
    logger.disable("nanobot_memory_plugins")
    try:
        for _ in range(times):
            summary = asyncio.run(plugin.before_compaction(messages, window, room, reason, context_with(model)))
    finally:
        logger.enable("nanobot_memory_plugins")

    # A usable summary, and a place to go on from.
    assert summary.text.strip() or not messages
    assert "messages were cut" not in summary.text  # the barest one: something was overlooked
    summary.text.encode()
    assert 0 <= summary.keep_from <= len(messages)
    # Progress: something is cut.
    assert summary.keep_from > 0 or not messages
    # The window is never passed, the reserve included.
    kept = messages[summary.keep_from :]
    size = estimate_tokens(summary.text) + sum(map(message_tokens, kept))
    known = window if window > 0 else 200_000
    reserve = min(OPTIONS.reserve_tokens, int(known * RESERVE_SHARE))
    known_room = room if window > 0 or room > 0 else 200_000
    assert size <= max(1, min(known - reserve, known_room))
    # Calls and their results stay together.
    assert left_out(messages, summary.keep_from) == set()
    # The last message stays where there is room for it, at the first compaction.
    if times == 1 and reason != "session_ended" and len(messages) > 1:
        last_unit_alone = not result_ids(messages[-1]) and messages[-1].role not in ("tool", "function")
        if last_unit_alone and message_tokens(messages[-1]) <= 0.1 * min(known - reserve, known_room):
            assert kept or (summary.keep_from == len(messages) and _is_summary(messages))
    if model is not None:
        for prompt in model.prompts:
            tokens = sum(estimate_tokens(message["content"]) for message in prompt)
            assert tokens * OPTIONS.safety_margin <= known * OPTIONS.base_chunk_ratio
            "".join(message["content"] for message in prompt).encode()


def _is_summary(messages: tuple[Message, ...]) -> bool:
    """Return whether only one message follows an earlier summary."""
    return any(message.text.startswith("[Summary of the earlier") for message in messages)


@pytest.mark.parametrize(
    "content",
    ["中" * 20_000_000, "a b. " * 5_000_000],
    ids=["zh", "words"],
)
def test_a_message_of_many_megabytes(content: str):
    messages = messages_from_chat(
        [
            {"role": "user", "content": "We decided on plan B."},
            {"role": "user", "content": content},
            {"role": "user", "content": "go"},
        ]
    )
    model = Model("- Decision: plan B. go")
    summary = asyncio.run(
        CompactionPlugin().before_compaction(messages, 32_000, 32_000, "token_pressure", context_with(model))
    )
    assert "plan B" in summary.text
    assert summary.keep_from == 2
    assert estimate_tokens(summary.text) <= 1_200
