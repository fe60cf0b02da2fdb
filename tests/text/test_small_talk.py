"""Small talk and answers that know nothing, told from what says something: one corpus each, with a floor."""

from nanobot_memory_plugins.core.text.small_talk import is_small_talk, knows_nothing
from tests.support.chinese import in_both_scripts
from tests.support.each import each

TALK = [
    "hi",
    "Hello there!",
    "good night",
    "ok, thanks!",
    "Thank you so much.",
    "haha",
    "Got it.",
    "Noted, thanks.",
    "Sounds great!",
    "You're welcome!",
    "Congratulations!",
    "yes please",
    "No problem.",
    "Anything else?",
    "你好",
    "谢谢！",
    "好的，记下了。",
    "哈哈哈",
    "嗯嗯，知道了",
    "不客气",
    "没问题。",
    "太好了！",
]
SAYS_SOMETHING = [
    "It's in the blue box.",
    "Tuesday, then.",
    "42",
    "3pm",
    "Thanks to the grant it opens in May.",
    "ok, the code is 4471",
    "hello Marcie",
    "I said good night to Tom",
    "Sure, Friday.",
    "在蓝色的盒子里。",
    "是周二。",
    "好的，您的航班是五月四日。",
    "谢谢，我叫小李",
    "注意花生。",
]
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


@each(
    ("says", "texts", "is_so"),
    [
        (is_small_talk, TALK, True),
        (is_small_talk, SAYS_SOMETHING, False),
        (knows_nothing, UNKNOWN, True),
        (knows_nothing, KNOWN, False),
    ],
)
def test_what_says_nothing_is_told_from_what_says_something(says, texts: list[str], is_so: bool):
    texts = in_both_scripts(texts)
    wrong = [text for text in texts if says(text) is not is_so]
    assert len(wrong) <= len(texts) // 15, wrong


def test_other_phrases_take_the_place_of_the_list():
    assert is_small_talk("Ahoy!", ("ahoy",))
    assert not is_small_talk("hello", ("ahoy",))
    assert not is_small_talk("hello", ())
