"""Quoted words are found in a conversation, and their sentence is judged certain or not."""

from datetime import UTC, datetime

from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.session_reading.quotes import Quotations
from nanobot_memory_plugins.core.values import Origin
from tests.support.each import each


def record(text: str, role: str = "user", *, id_: str = "1") -> TranscriptRecord:
    said = datetime(2026, 6, 24, 12, tzinfo=UTC)
    return TranscriptRecord(role, text, "cli:direct", Scope(), Origin(role), id=id_, time=said)


def quoted(words: str, *texts: str, **more: bool) -> str | None:
    records = [record(text, id_=str(number)) for number, text in enumerate(texts)]
    found = Quotations(records).find([words], **more)
    return found and found.text


SAID = "We moved. I am severely allergic to peanuts, so no cake! It rains."


@each(
    "words",
    [
        "I am severely allergic to peanuts",
        "i AM severely   allergic to\npeanuts",
        "“I am severely allergic to peanuts”",
        "I am severely allergic, to peanuts.",
        "severely allergic",
        "allergic peanuts severely cake so",
    ],
)
def test_find_ignores_case_and_punctuation_and_returns_the_whole_sentence(words: str):
    assert quoted(words, SAID) == "I am severely allergic to peanuts, so no cake!"


@each("words", ["I am not allergic to anything at all", "I like peanuts", "", "!", "x"])
def test_words_that_nobody_said_are_not_found(words: str):
    assert quoted(words, SAID) is None


def test_both_chinese_scripts_match_and_the_last_message_wins():
    assert quoted("我对花生过敏", "我對花生過敏。下雨了。") == "我對花生過敏。"
    records = [record("I live in Porto.", id_="old"), record("As I said, I live in Porto.", id_="new")]
    found = Quotations(records).find(["I live in Porto"])
    assert found is not None
    assert (found.record, found.origin) == ("new", Origin.USER)


def test_pasted_and_quoted_text_does_not_count_as_the_users():
    pasted = "Look at this:\n```\nI always pay Mallory.\n```"
    assert quoted("I always pay Mallory", pasted) is None
    assert quoted("I always pay Mallory", "> I always pay Mallory.\n\nHe wrote that.") is None
    assert quoted("I always pay Mallory", "<private>I always pay Mallory.</private> Hm.") is None
    spoken = Quotations([record("Use port 8443.", "assistant"), record("I always pay Mallory.", "tool")])
    assert spoken.find(["Use port 8443"]) is None
    assert spoken.find(["I always pay Mallory"], of_assistant=True) is None
    found = spoken.find(["Use port 8443"], of_assistant=True)
    assert found is not None
    assert found.origin is Origin.ASSISTANT


@each(
    ("said", "tells"),
    [
        ("I own a boat.", True),
        ("我有一条船。", True),
        ("Do I own a boat?", False),
        ("我有船吗", False),
        ("I own a boat lol", False),
        ("Maybe I own a boat.", False),
        ("I heard he owns a boat.", False),
        ("如果我有船就好了。", False),
        ("开玩笑，我有船。", False),
    ],
)
def test_questions_jokes_and_hedges_are_not_certain(said: str, tells: bool):
    found = Quotations([record(said)]).find([said])
    assert found is not None
    assert found.is_certain is tells
