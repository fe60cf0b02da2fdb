"""Sentences that begin with plain words, for hosts without a language model and without tools: nothing else is read.

"Remember that I park on level 3" keeps the words behind the beginning, "from now on ..." the whole sentence as a
standing wish, "forget that I ..." forgets the entry that says so. Whoever has a model leaves all this to it.
"""

import re
from typing import Literal, NamedTuple

_REMEMBER = (
    "please remember that",
    "remember that",
    "remember:",
    "remember：",
    "请记住",
    "記住",
    "记住",
    "请记下",
    "记下",
)
_STANDING = (
    *("from now on", "please always", "please never"),
    *("从现在起", "从今以后", "今后请", "以后请", "以后不要", "以后都"),
)
_FORGET = ("please forget that", "forget that", "forget:", "forget：", "请忘掉", "请忘记", "忘掉", "忘记", "忘記")
# What may stand behind a beginning: a blank, a mark, or in Chinese the one who speaks.
_BORDERS = (" ", "\t", ",", "，", ":", "：", "我")
_AROUND = " \t\n,，:：。.!！"


class PlainOrder(NamedTuple):
    """An order: what is to be done with what it says."""

    kind: Literal["remember", "instruction", "forget"]
    text: str


def plain_order(message: str) -> PlainOrder | None:
    """Return the order with which a message begins, or None."""
    sentence = re.split(r"\n|(?<=[。！？!?])|(?<=\.)\s", message.strip())[0]
    folded = sentence.casefold()
    if folded.startswith(_STANDING):
        return PlainOrder("instruction", sentence)
    kinds: tuple[tuple[Literal["remember", "forget"], tuple[str, ...]], ...] = (
        ("remember", _REMEMBER),
        ("forget", _FORGET),
    )
    for kind, beginnings in kinds:
        for beginning in beginnings:
            rest = sentence[len(beginning) :]
            text = rest.strip(_AROUND)
            # Chinese has no space that ends a word: 记住的东西 is none.
            if folded.startswith(beginning) and text and rest.startswith(_BORDERS):
                return PlainOrder(kind, text)
    return None
