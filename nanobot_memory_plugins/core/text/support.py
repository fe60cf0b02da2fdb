"""Whether quotes support a statement: it may word things otherwise, and says nothing else than they do.

What a model says of its own is told by what no rewording brings along: a number, a name, a negation, another person,
what was taken back, or many words that nobody said.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from nanobot_memory_plugins.core.text.acts import Act
from nanobot_memory_plugins.core.text.corrections import taken_back
from nanobot_memory_plugins.core.text.opposites import ANOTHER_IN, RELATION_ZH, agrees, is_of_another, is_over
from nanobot_memory_plugins.core.text.particulars import knows_names, knows_numbers
from nanobot_memory_plugins.core.text.quotations import Passage, QuotedConversation, counts
from nanobot_memory_plugins.core.text.statement_terms import folded, terms_of, without_dates


class Objection(StrEnum):
    """Why quotes do not support a statement."""

    NO_QUOTE = "no quote"
    NOT_STATED = "not stated"
    NUMBER = "number"
    NAME = "name"
    WORDS = "words"
    NEGATION = "negation"
    PERSON = "person"
    PAST = "past"
    TAKEN_BACK = "taken back"


# Words that nobody said: so many, or this share of a statement's words, are rewording.
_MOST_WORDS, _MOST_SHARE = 2, 0.45
_HEDGES = re.compile(
    r"\b(?:may|might|maybe|perhaps|possibl[ey]|probably|thinks? (?:of|about)|consider\w*|unsure|about|around)\b"
    r"|可能|也许|大概|大约|考虑|或许|左右"
)


@dataclass(frozen=True)
class Support:
    """What a conversation's user has said, asked for each statement of a model's.

    ``known`` is what was known before.
    """

    conversation: QuotedConversation
    known: Sequence[str] = ()

    @cached_property
    def _users(self) -> str:
        return "\n".join(one.text for one in self.conversation.messages if one.role == "user")

    @cached_property
    def _known(self) -> str:
        return "\n".join(self.known)

    def objection(self, statement: str, quotes: Sequence[str]) -> Objection | None:
        """Return why a statement is not supported by its quotes, or None when it is."""
        passages = self.conversation.passages(quotes)
        counting = [one for one in passages if one.counts or not one.by_user]
        if not passages:
            return Objection.NO_QUOTE
        if not counting:
            return Objection.NOT_STATED
        if _rests_on_a_guess(statement, counting):
            return Objection.NOT_STATED
        answered = [self.conversation.answered(turn) for turn in {one.turn for one in counting if one.by_user}]
        affirmed = [
            self.conversation.messages[one.turn].text[one.start : one.end] for one in counting if not one.by_user
        ]
        own = "\n".join((self._users, *affirmed, *answered))
        if not knows_numbers(statement, own + "\n" + self._known):
            return Objection.NUMBER
        if not knows_names(statement, own + "\n" + self._known):
            return Objection.NAME
        if _unsaid_words(statement, own + "\n" + self._known):
            return Objection.WORDS
        spoken = "\n".join((*(one.text for one in counting), *answered))
        if _borrows(statement, spoken, self._others(answered), own):
            return Objection.WORDS
        if not agrees(statement, counting, own):
            return Objection.NEGATION
        if is_of_another(statement, counting):
            return Objection.PERSON
        if is_over(statement, counting):
            return Objection.PAST
        return Objection.TAKEN_BACK if taken_back(statement, counting, self.conversation.messages) else None

    def _others(self, answered: Sequence[str]) -> str:
        return "\n".join(
            one.text for one in self.conversation.messages if one.role != "user" and one.text not in answered
        )


def _rests_on_a_guess(statement: str, passages: Sequence[Passage]) -> bool:
    """Say whether something of a statement stands in a guess alone, or in what is supposed or reported."""
    plain = folded(statement)
    if _HEDGES.search(plain):
        return False
    is_of_another = ANOTHER_IN.search(plain) or RELATION_ZH.search(plain)
    unsure = (Act.GUESSES, Act.SUPPOSES) if is_of_another else (Act.GUESSES, Act.SUPPOSES, Act.REPORTS)
    clauses = [clause for one in passages if one.by_user for clause in one.clauses]
    sure = frozenset(term for one in clauses if one.act not in unsure or counts(one) for term in terms_of(one.text))
    open_ = frozenset(term for one in clauses if one.act in unsure and not counts(one) for term in terms_of(one.text))
    return bool(frozenset(terms_of(statement)) & (open_ - sure))


def _unsaid_words(statement: str, said: str) -> bool:
    """Say whether a statement has more words than a rewording brings along that nobody said."""
    text = re.sub(r"[一二两三四五六七八九十百千万零月日号年周]", " ", without_dates(folded(statement)))
    terms = list(dict.fromkeys(terms_of(text)))
    told = frozenset(terms_of(said)) | frozenset(folded(said))
    latin = [one for one in terms if one.isascii() or len(one) > 1]
    unsaid = [one for one in terms if one not in told]
    weight = sum(1.0 if one in latin else 0.5 for one in unsaid)
    whole = sum(1.0 if one in latin else 0.5 for one in terms)
    return weight > max(_MOST_WORDS, _MOST_SHARE * whole)


def _borrows(statement: str, quoted: str, others: str, said: str) -> bool:
    """Say whether a statement that is far from its quote has a word that the assistant alone has said."""
    own = frozenset(terms_of(without_dates(statement)))
    if len(own & frozenset(terms_of(quoted))) > len(own) / 2:
        return False
    unsaid = own - frozenset(terms_of(said)) - frozenset(folded(said))
    return sum(1.0 if one.isascii() else 0.5 for one in unsaid & frozenset(terms_of(others))) >= 1
