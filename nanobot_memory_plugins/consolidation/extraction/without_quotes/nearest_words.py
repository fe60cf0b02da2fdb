"""Whether the user's words bear out what a model that cannot quote says: what comes nearest to it is its quote."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from nanobot_memory_plugins.consolidation.extraction.small_talk import LEAST_WEIGHT, SMALL_TALK
from nanobot_memory_plugins.consolidation.extraction.statements import Statement, is_open, tells_of_a_try
from nanobot_memory_plugins.consolidation.model.normalised import wording
from nanobot_memory_plugins.core import Message
from nanobot_memory_plugins.core.text import QuotedConversation, Support
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# The share of a text's words that the clauses of one message must hold.
_LEAST = 0.4


class NearestWords:
    """What was said in a conversation: built once, asked for each text. It works in memory alone.

    ``said`` are the statements of whoever has the ``role``, ``known`` what the user had said before.
    """

    def __init__(
        self, messages: Sequence[Message], said: Iterable[Statement], *, role: str = "user", known: Sequence[str] = ()
    ) -> None:
        # Whoever speaks in a turn without a user is its author.
        own = messages if role == "user" else [replace(one, role="user") for one in messages if one.role == role]
        self._support = Support(QuotedConversation(own), known)
        self._tries = [one.text for one in said if one.attempt]

    def grounds(self, text: str) -> bool:
        """Return whether a text says what the nearest clauses say.

        Guesses, questions and small talk never ground it; what was tried is as a try.
        """
        if is_open(text) or SMALL_TALK.search(simplified(text)) or wording(text).weight < LEAST_WEIGHT:
            return False
        tries = () if tells_of_a_try(text) else self._tries
        clauses = self._support.nearest(text, _LEAST, left_out=tries)
        return self._support.objection(text, clauses) is None
