"""What the text of a passage says for every question alike. It is worked out once, when the passage is indexed.

Patterns over the texts of hundreds of candidates took longer than all the rest of a search.
"""

import hashlib
from enum import IntFlag
from functools import cache

from nanobot_memory_plugins.core.text import holds_wish, only_asks
from nanobot_memory_plugins.core.text.sentences import ends_in_question_mark
from nanobot_memory_plugins.core.text.wishes import WISHES
from nanobot_memory_plugins.search.expected_answer_type import HELD, AnswerKind, holds

# To be counted up when the functions here change; their patterns are part of the version by themselves. A change in how
# clauses are read counts for what is indexed from then on.
_VERSION = 2


class Trait(IntFlag):
    """What a text is or holds, as bits of one number."""

    QUESTION = 1  # it ends with a question mark
    BARE_QUESTION = 2  # it asks, and tells nothing: "I have a flat in Lund, what is the rent there?" tells something
    WISH = 4  # it tells what its author wants, or what constrains an answer
    HOLDS_TIME = 8
    HOLDS_NUMBER = 16
    HOLDS_NAME = 32
    HOLDS_NAME_IN_CHINESE = 64


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
    if holds_wish(text):
        found |= Trait.WISH
    for kind, trait in TRAIT_OF_KIND.items():
        if holds(text, kind):
            found |= trait
    return found


@cache
def traits_version() -> str:
    """Return what changes with the rules. It is stored with the index, whose traits are made anew when it does."""
    rules = (_VERSION, tuple(WISHES), [(kind.value, one.pattern) for kind, one in HELD.items()])
    return hashlib.blake2b(repr(rules).encode(), digest_size=8).hexdigest()
