"""What the text of a passage says for every question alike. It is worked out once, when the passage is indexed.

Patterns over the texts of hundreds of candidates took longer than all the rest of a search.
"""

import hashlib
from enum import IntFlag
from functools import cache

from nanobot_memory_plugins.core.text.sentences import ends_in_question_mark, only_asks
from nanobot_memory_plugins.storage.expected_answer_type import HELD, AnswerKind, holds

# To be counted up when the functions here change; their patterns are part of the version by themselves.
_VERSION = 3


class Trait(IntFlag):
    """What a text is or holds, as bits of one number."""

    QUESTION = 1  # it ends with a question mark
    BARE_QUESTION = 2  # so does each of its sentences
    HOLDS_TIME = 4
    HOLDS_NUMBER = 8
    HOLDS_NAME = 16
    HOLDS_NAME_IN_CHINESE = 32


TRAIT_OF_KIND = {
    AnswerKind.TIME: Trait.HOLDS_TIME,
    AnswerKind.NUMBER: Trait.HOLDS_NUMBER,
    AnswerKind.NAME: Trait.HOLDS_NAME,
    AnswerKind.NAME_IN_CHINESE: Trait.HOLDS_NAME_IN_CHINESE,
}
"""What a text holds that answers a kind of question."""


def traits_of(text: str) -> Trait:
    """Return the traits of a text."""
    found = Trait(0)
    if ends_in_question_mark(text):
        found |= Trait.QUESTION
        if only_asks(text):
            found |= Trait.BARE_QUESTION
    for kind, trait in TRAIT_OF_KIND.items():
        if holds(text, kind):
            found |= trait
    return found


@cache
def traits_version() -> str:
    """Return what changes with the rules. It is stored with the index, whose traits are made anew when it does."""
    rules = (_VERSION, [(kind.value, one.pattern) for kind, one in HELD.items()])
    return hashlib.blake2b(repr(rules).encode(), digest_size=8).hexdigest()
