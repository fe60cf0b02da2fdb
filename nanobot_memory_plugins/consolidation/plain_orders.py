"""Sentences that begin with plain words, for hosts without a language model and without tools: nothing else is read.

"Remember that I park on level 3" keeps the words behind the beginning, "forget that I ..." forgets the entry that says
them. Whoever has a model leaves all this to it.
"""

import re
from typing import NamedTuple

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
_FORGET = ("please forget that", "forget that", "forget:", "forget：", "请忘掉", "请忘记", "忘掉", "忘记", "忘記")
_AROUND = " \t\n,，:：。.!！"


class PlainOrder(NamedTuple):
    """An order: whether something is to be forgotten, and what it says."""

    forgets: bool
    text: str


def plain_order(message: str) -> PlainOrder | None:
    """Return the order with which a message begins, or None."""
    folded = message.strip().casefold()
    for forgets, beginnings in ((False, _REMEMBER), (True, _FORGET)):
        for beginning in beginnings:
            if folded.startswith(beginning):
                text = re.split(r"\n|(?<=[。！？!?])|(?<=\.)\s", message.strip()[len(beginning) :].lstrip(_AROUND))[0]
                if text.strip(_AROUND):
                    return PlainOrder(forgets, text.strip())
    return None
