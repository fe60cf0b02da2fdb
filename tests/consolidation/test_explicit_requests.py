"""Which messages act where no model reads them: those that begin plainly, and no others."""

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
def test_a_plain_beginning_acts(message: str, name: str, text: str):
    order = explicit_request(message)
    assert order is not None
    assert (order[0], order[1]["text"]) == (name, text)
    assert ("kind" in order[1]) is text.startswith(("From", "以后"))


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
def test_nothing_else_does(message: str):
    assert explicit_request(message) is None
