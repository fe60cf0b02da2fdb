"""Questions about a period, asked on Wednesday, 24 June 2026: one corpus with a floor."""

from datetime import UTC, datetime

from nanobot_memory_plugins.core.text.days import DaySpan
from nanobot_memory_plugins.core.text.period_questions import Speaker, named_period, period_question
from tests.support.chinese import in_both_scripts

NOW = datetime(2026, 6, 24, 10, tzinfo=UTC)
# The question, the first and the last day of June 2026 that it asks about, its subject.
ASKED = [
    ("what did we do today?", 24, 24, ""),
    ("What did we talk about yesterday?", 23, 23, ""),
    ("remind me what I told you last week", 15, 21, ""),
    ("what happened on 3 June?", 3, 3, ""),
    ("tell me what we went over on Monday", 22, 22, ""),
    ("what did i say to you two days ago", 22, 22, ""),
    ("What did you suggest last Friday?", 19, 19, ""),
    ("what did we decide about the boiler last week?", 15, 21, "the boiler"),
    ("what did I tell you about Tom on Friday", 19, 19, "tom"),
    ("昨天我们聊了什么？", 23, 23, ""),
    ("上周咱们讨论了哪些话题", 15, 21, ""),
    ("前天你告诉我什么了", 22, 22, ""),
    ("总结一下上周我们说的", 15, 21, ""),
]
NOT_ASKED = [
    "What's the weather today?",
    "We talked about this yesterday.",
    "yesterday was a long day",
    "I did the dishes yesterday, what a day" + " and so on" * 20,
    "what did we talk about?",
    "what did we say yesterday and last week?",
    "昨天下雨了",
    "我们聊了什么？",
    "",
]


def test_a_question_about_a_period_is_known_by_its_days_and_its_subject():
    wrong = []
    for asked, first, last, subject in ASKED:
        for text in in_both_scripts([asked]):
            found = period_question(text, NOW)
            told = found and (found.span.start.day, found.span.end.day, found.subject)
            if told != (first, last, subject):
                wrong.append((text, told))
    assert len(wrong) <= 1, wrong


def test_another_sentence_is_none():
    wrong = [text for text in NOT_ASKED if period_question(text, NOW) is not None]
    assert len(wrong) <= 1, wrong


def test_one_that_only_names_another_period_asks_the_same_of_it():
    asked = period_question("and last week?", NOW, before="What did you suggest yesterday?")
    assert asked is not None
    assert (asked.span.start.day, asked.span.end.day, asked.speaker) == (15, 21, Speaker.ASSISTANT)
    assert asked.words == "last week"
    assert period_question("那上周呢？", NOW, before="昨天我们聊了什么？") is not None
    assert period_question("and last week?", NOW, before="I slept badly.") is None


def test_it_says_whose_words_are_asked_for():
    for text, speaker in (
        ("what did I tell you yesterday?", Speaker.USER),
        ("what did you tell me yesterday?", Speaker.ASSISTANT),
        ("what did we talk about yesterday?", Speaker.ANYBODY),
        ("昨天你建议了什么？", Speaker.ASSISTANT),
        ("昨天我说了什么？", Speaker.USER),
    ):
        found = period_question(text, NOW)
        assert found is not None, text
        assert found.speaker is speaker, text


def test_a_text_that_is_a_period_and_no_more_is_its_days():
    week = DaySpan(datetime(2026, 6, 15).date(), datetime(2026, 6, 21).date())
    assert named_period("last week", NOW) == named_period("上周", NOW) == week
    assert named_period("last week at noon", NOW) is None
    assert named_period("blue cheese", NOW) is None
