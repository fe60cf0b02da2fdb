"""What a message answers to a question of the assistant's: yes, no, or something else."""

import pytest

from nanobot_memory_plugins.core.text.affirming import AFFIRMS, DECLINES
from nanobot_memory_plugins.core.text.quotations import QuotedConversation
from nanobot_memory_plugins.core.text.support import Support
from nanobot_memory_plugins.core.values import Message
from tests.support.chinese import in_both_scripts
from tests.support.each import each

pytestmark = pytest.mark.leaving

ASKED, CLAIM = "Are you allergic to peanuts?", "The user is allergic to peanuts"
ASKED_ZH, CLAIM_ZH = "你对花生过敏吗？", "用户对花生过敏"
YES = [
    "Yes.",
    "yeah, badly",
    "Yep!",
    "Oh yes, very much so",
    "Sure am.",
    "I am, yes.",
    "That's right.",
    "That's correct, since childhood.",
    "Right, and to shrimp.",
    "right",
    "Exactly.",
    "Correct, no nuts for me please.",
    "Yes, no peanuts please.",
    "True, sadly.",
    "Indeed, not a single nut.",
    "Of course!",
    "Definitely, I carry a pen.",
    "Absolutely. Not even traces.",
    "Good guess, yes.",
    "Good memory, exactly.",
    "Yes, good question.",
    "Well, yes",
    "Haha, yes I am",
    "Unfortunately yes.",
    "I'm afraid so.",
    "对",
    "对的，从小就过敏",
    "是的",
    "是啊，很严重",
    "没错，不能碰花生",
    "嗯嗯，不能吃",
    "对，不能吃花生。",
    "当然",
    "有的，挺严重",
    "是，还对虾过敏",
    "好问题，是的",
    "好记性，没错",
    "哈哈，对",
]
NO = [
    "Good grief, no!",
    "good question, no",
    "Good question. No.",
    "Fine, but no",
    "Great question, but not really.",
    "Good guess, but no.",
    "Sure, but no.",
    "Absolutely not.",
    "Definitely not!",
    "Of course not.",
    "Certainly not.",
    "Yeah, no.",
    "yeah nah",
    "Ok, no.",
    "Right, well, no.",
    "Perfect timing, but nope.",
    "That's wrong.",
    "That's not right.",
    "That's a good question. Not that I know of.",
    "True or not, I'm not.",
    "Good one! Never had that.",
    "Great, another form. No.",
    "Please, no.",
    "Good heavens, no",
    "Yes and no.",
    "Good Lord, I don't think so.",
    "Right now I have no idea.",
    "Fine question. I'm not.",
    "Okay, wait, who told you that?",
    "Oh God no",
    "Hell no",
    "好问题，其实不是",
    "好问题，没有",
    "好像不是",
    "好奇怪的问题，没有啊",
    "好吧，不过不是",
    "当然不是",
    "当然没有",
    "嗯，不是",
    "嗯……没有",
    "是吗？谁说的",
    "对了，明天天气怎么样",
    "对不起，不是",
    "得了吧，没有的事",
    "可以说没有",
    "好家伙，不是",
    "行吧，但其实不是",
    "对我来说不是问题，没有过敏",
    "好意思问，没有",
]
OFFER, WISH = "Shall I book seats by the window?", "The user wants seats by the window"
OFFER_ZH, WISH_ZH = "要不要我订靠窗的座位？", "用户想要靠窗的座位"
TAKEN = [
    "Please do.",
    "yes please",
    "ok",
    "Great idea!",
    "Good idea, thanks.",
    "Sounds good.",
    "Sounds like a plan",
    "Perfect.",
    "Perfect, thank you!",
    "Fine by me.",
    "fine",
    "Great, and a table near them.",
    "Sure, no problem.",
    "Sure, why not.",
    "Why not?",
    "Go ahead, no rush.",
    "Let's do that.",
    "I'd love that",
    "Works for me.",
    "Good, do that.",
    "Good call.",
    "Sure, but not before Monday.",
    "Do it.",
    "Okay then.",
    "好的",
    "好啊",
    "好主意",
    "行，那就订吧",
    "可以",
    "可以的，谢谢",
    "要靠窗的",
    "没问题",
    "就这么办",
    "那就订吧",
    "好，不用问了",
    "好的，不急",
    "嗯，订吧",
    "得，就这样",
]
LEFT = [
    "Good grief, no!",
    "Great, but no thanks.",
    "Fine, but I'd rather not.",
    "Sounds great, but no.",
    "Sounds awful.",
    "Please don't.",
    "Let's not.",
    "Ok let's not do that.",
    "Perfect, but not this time.",
    "Fine print first: what does it cost?",
    "Good thinking, but never mind.",
    "That's not necessary.",
    "Sure, later maybe, but not now.",
    "Thanks, that's kind, but no need.",
    "Right, actually no.",
    "Please do not do it.",
    "Why not the aisle instead?",
    "Great Scott, no.",
    "Okay, hold on.",
    "好的，还是算了吧",
    "好意心领了，不用",
    "好是好，但不用了",
    "行了，不用",
    "可以不要吗",
    "可以是可以，不过算了",
    "好贵，算了",
    "嗯，不用了",
    "得了，别订",
    "要不算了",
    "好啊，不过还是不要了",
]


def holds(asked: str, answer: str, claim: str) -> bool:
    talk = [Message("user", "Plan it."), Message("assistant", asked), Message("user", answer)]
    return Support(QuotedConversation(talk)).objection(claim, [asked]) is None


def holds_by_the_answer(asked: str, answer: str, claim: str) -> bool:
    talk = [Message("user", "Plan it."), Message("assistant", asked), Message("user", answer)]
    return Support(QuotedConversation(talk)).objection(claim, [answer]) is None


def by_language(english: str, chinese: str, answer: str) -> str:
    return chinese if any(one > "\u3400" for one in answer) else english


@each("answer", in_both_scripts(YES))
def test_a_yes_affirms_what_was_asked(answer: str):
    assert holds(by_language(ASKED, ASKED_ZH, answer), answer, by_language(CLAIM, CLAIM_ZH, answer))


@each("answer", in_both_scripts(NO))
def test_a_no_and_a_turn_of_speech_affirm_nothing(answer: str):
    told = by_language(ASKED, ASKED_ZH, answer), answer, by_language(CLAIM, CLAIM_ZH, answer)
    assert not holds(*told)
    assert not holds_by_the_answer(*told)


@each("answer", in_both_scripts(TAKEN))
def test_an_offer_is_taken(answer: str):
    assert holds(by_language(OFFER, OFFER_ZH, answer), answer, by_language(WISH, WISH_ZH, answer))


@each("answer", in_both_scripts(LEFT))
def test_an_offer_is_left(answer: str):
    told = by_language(OFFER, OFFER_ZH, answer), answer, by_language(WISH, WISH_ZH, answer)
    assert not holds(*told)
    assert not holds_by_the_answer(*told)


@pytest.mark.parametrize("answer", ["Good grief, no!", "No.", "Definitely not!", "good question, no"])
def test_a_no_tells_of_what_is_not(answer: str):
    talk = [Message("user", "Plan it."), Message("assistant", ASKED), Message("user", answer)]
    assert Support(QuotedConversation(talk)).objection("The user is not allergic to peanuts", [answer]) is None


@each("word", [*AFFIRMS, *DECLINES])
def test_each_word_decides_in_its_example_alone(word):
    (kind,) = [words for words in (AFFIRMS, DECLINES) if word in words]
    assert type(kind)((word,)).search(word.example)
    assert not type(kind)((word,)).search(word.counter_example)
