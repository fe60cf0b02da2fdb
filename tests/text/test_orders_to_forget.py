"""A user's message without its orders to forget: what such an order names is no memory of it."""

import pytest

from nanobot_memory_plugins.core.text.orders import without_orders_to_forget
from tests.support.chinese import in_both_scripts
from tests.support.each import each

pytestmark = pytest.mark.leaving

ORDERS = [
    "Forget that I am allergic to peanuts.",
    "Please forget my shoe size, ok?",
    "Could you forget what I said about the trip?",
    "Forget everything about Kafka",
    "Actually forget that I like jazz and that I hate pop",
    "Delete my phone number from your memory.",
    "stop remembering my address",
    "forget that my son Tom, who lives in Rome, is nine",
    "Forget that.",
    *in_both_scripts(
        [
            "忘掉我对花生过敏这件事。",
            "把我对花生过敏这件事忘掉",
            "忘了我对花生过敏吧，谢谢",
            "请忘掉关于豆豆的一切",
            "从记忆里删除我的电话",
        ]
    ),
    "Vergiss, dass ich Vegetarier bin.",
]
NO_ORDERS = [
    "I forgot my keys at the office.",
    "Don't forget that I am allergic to peanuts.",
    "Forget my old address, I live in Bonn now.",
    "Please forget that I am allergic to peanuts, I never was.",
    "What did I forget?",
    "Never forget your first love, my mother says.",
    'She said: "Forget that I called."',
    "Forget about it",
    "忘掉我对花生过敏，我现在不过敏了。",
    "我忘了带钥匙",
    "别忘了我对花生过敏",
    "Delete the file from the memory card.",
]
BESIDE = [
    ("Forget that I am allergic to peanuts. I moved to Berlin.", "I moved to Berlin."),
    ("I moved to Berlin. Forget my old address. I like it here.", "I moved to Berlin. I like it here."),
    ("- I like tea\n- Forget my shoe size.", "- I like tea"),
    ("忘掉我的鞋码。我搬到成都了。", "我搬到成都了。"),
    ("Hi!\n\nForget my address.\n\nI like tea.", "Hi!\n\n\n\nI like tea."),
]


@each("text", ORDERS)
def test_nothing_is_left_of_an_order(text: str):
    assert without_orders_to_forget(text) == ""


@each("text", NO_ORDERS)
def test_what_is_no_order_or_tells_something_besides_stays(text: str):
    assert without_orders_to_forget(text) == text


@each(("text", "left"), BESIDE)
def test_what_stands_beside_an_order_is_left(text: str, left: str):
    assert without_orders_to_forget(text) == left
