"""The mark by which an earlier summary is known."""

from nanobot_memory_plugins.core.text.summary_marker import (
    earlier_summary_message,
    find_earlier_summary,
    marked_summary,
    unmarked_summary,
)
from nanobot_memory_plugins.core.values import Message
from nanobot_memory_plugins.core.values.conversation import messages_from_chat

SUMMARY = marked_summary("We chose PostgreSQL.", "en")


def test_the_mark_goes_on_once_and_comes_off():
    assert marked_summary(SUMMARY, "en") == SUMMARY
    assert unmarked_summary(SUMMARY) == "We chose PostgreSQL."
    assert unmarked_summary(marked_summary("选了 PostgreSQL。", "zh")) == "选了 PostgreSQL。"


def test_an_earlier_summary_is_found_behind_the_system_prompt_in_any_role():
    for role in ("system", "user", "assistant"):
        messages = (Message("system", "You are helpful."), Message(role, SUMMARY), Message("user", "hello"))
        assert find_earlier_summary(messages) == 1
    assert find_earlier_summary(messages_from_chat([earlier_summary_message("x", "zh")])) == 0


def test_the_same_words_further_on_are_somebodys():
    assert find_earlier_summary((Message("user", "hello"), Message("user", SUMMARY))) is None
    assert find_earlier_summary(()) is None
