"""Explicit requests without a model: only messages that begin with the explicit words."""

import pytest

from nanobot_memory_plugins.consolidation.explicit_requests import explicit_request


@pytest.mark.parametrize(
    ("message", "name", "text"),
    [
        ("Remember that I park on level 3.", "remember", "I park on level 3"),
        ("Please remember that Ida sings. What else?", "remember", "Ida sings"),
        ("记住：我对花生过敏。", "remember", "我对花生过敏"),
        ("记住我对花生过敏", "remember", "我对花生过敏"),
        ("forget that I park on level 3", "forget", "I park on level 3"),
        ("From now on, answer in French.", "remember", "From now on, answer in French."),
        ("以后请用中文回答。", "remember", "以后请用中文回答。"),
    ],
)
def test_explicit_first_words_request_a_tool(message: str, name: str, text: str):
    request = explicit_request(message)
    assert request is not None
    assert (request[0], request[1]["text"]) == (name, text)
    assert ("kind" in request[1]) is text.startswith(("From", "以后"))


@pytest.mark.parametrize(
    "message",
    [
        "Do you remember that day?",
        "记住的东西总会忘",
        "记住这个",
        "Remember that.",
        "I will remember that I park here.",
        "",
    ],
)
def test_other_messages_request_nothing(message: str):
    assert explicit_request(message) is None
