"""Non-answers and answers are separated on a corpus, with a minimum accuracy."""

from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import decide_tier, is_non_answer
from tests.support.chinese import in_both_scripts
from tests.support.each import each

OPTIONS = RecallOptions()
UNKNOWN = [
    "I don't know, you haven't told me.",
    "I have no information about that.",
    "Sorry, I can't recall that.",
    "No idea, sorry.",
    "There's nothing about your landlord in my notes.",
    "Not that I know of.",
    "We haven't talked about that before.",
    "我不知道，您没有提过。",
    "抱歉，您没有告诉过我。",
    "我这里没有相关记录。",
    "这个我不太清楚。",
    "没印象。",
]
KNOWN = [
    "It is 8080.",
    "I don't know her address, but her number ends in 44.",
    "You paid the invoice on Monday.",
    "端口是 8080。",
    "我不知道具体时间，但她说是下午。",
    "The lock is new.",
    "您住在苏州。",
]


@each(("texts", "is_so", "most_wrong"), [(UNKNOWN, True, 3), (KNOWN, False, 0)])
def test_non_answers_are_separated_from_answers(texts: list[str], is_so: bool, most_wrong: int):
    wrong = [text for text in in_both_scripts(texts) if is_non_answer(text, OPTIONS) is not is_so]
    assert len(wrong) <= most_wrong, wrong


@each(("text", "follows"), [("And that one?", True), ("那个呢？", True), ("Thanks!", False), ("好的，谢谢", False)])
def test_a_short_question_gets_the_tier_of_the_turn_before_it_and_thanks_get_none(text: str, follows: bool):
    decision = decide_tier(text, ["Do you remember the port of the database?"], OPTIONS)
    assert (decision.follows, decision.words == "remember") == (follows, follows)
