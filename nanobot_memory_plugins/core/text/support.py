"""Whether quotes support a statement: it may word things otherwise, and says nothing else than they do.

What a model says of its own is told by what no rewording brings along: a number, a name, a negation, another person,
what was taken back, or many words that nobody said.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from nanobot_memory_plugins.core.text.acts import Act
from nanobot_memory_plugins.core.text.clauses import phrases_of
from nanobot_memory_plugins.core.text.corrections import taken_back
from nanobot_memory_plugins.core.text.crossed import crosses_names, crosses_owners, crosses_values
from nanobot_memory_plugins.core.text.dates import weekdays_in
from nanobot_memory_plugins.core.text.imagined import (
    apart_from_conditions,
    words_a_condition,
    words_what_is_imagined,
)
from nanobot_memory_plugins.core.text.negation import denies
from nanobot_memory_plugins.core.text.numerals import values_in
from nanobot_memory_plugins.core.text.opposites import ANOTHER_IN, RELATION_ZH, agrees, is_of_another, is_over
from nanobot_memory_plugins.core.text.particulars import answers_with_another, knows_names, knows_numbers
from nanobot_memory_plugins.core.text.quotations import (
    QuotedConversation,
    QuotePlace,
    counts,
    counts_as_asked,
    own_things,
)
from nanobot_memory_plugins.core.text.reading import reading_of
from nanobot_memory_plugins.core.text.statement_terms import folded, terms_of, without_dates, words_of
from nanobot_memory_plugins.core.text.told import Told


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


# Words that nobody said: so many are rewording, or of a long statement such a share.
_MOST_WORDS, _MOST_SHARE = 2, 0.3
# The share of a statement's words that tools alone may have said, whatever is quoted.
_TOOLS_WORDS = 0.2
# A question is its author's word for what they asked.
_TELLS_OF_ASKING = re.compile(
    r"\b(?:ask(?:s|ed)?|wonders|wants to know|inquired)\b|(?<![访顾学])问(?!题|候)|想知道|请.{1,8}确认"
)
# "In a house from 1892? That's ours": what was asked about is told of behind it.
_TAKES_UP = re.compile(
    r"^\W*(?:that|this|it|those|these)(?:'s|'re| is| are)\b|\b(?:mine|ours)\b|^\W*[那这]就?是|我的(?![\u4e00-\u9fff])"
)
# What is asked for by "which" or "how" takes the rest for granted: "which visa do I need for my stay in Kyoto?"
_TAKES_FOR_GRANTED = re.compile(
    r"^\W*(?:\w+,? ){0,2}?(?:what|which|where|when|who|whose|how|why|(?:the )?(?:cheap|fast|quick|eas|simpl|b)\w*est)\b"
    r"(?!.*\b(?:says?|said|claims?|if)\b)"
    r"|\b(?:is|are) there an?y? [\w ]{0,30}\bfor\b|有没有.{0,6}(?:适合|推荐)"
    r"|什么|啥|哪|谁|怎[么样]|咋|如何|多少|几[点个号]|边[个度位]|乜|点样|点解|几[时多]"
)
_UNDECIDED = re.compile(
    r"\b(?:thinking (?:of|about)|considering|toying with|tempted to|debating|undecided|on the fence)\b"
    r"|在考虑|考虑要?不要|还没(?:想好|决定|定)|没想好|纠结"
)
_DECLINED = re.compile(r"\b(?:declin|reject|turn(?:s|ed) down|prefers not)|谢绝|婉拒")
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

    def holds(self, statement: str, quotes: Sequence[str] = ()) -> bool:
        """Return whether the user has said what a statement says."""
        return bool(self.passages(statement, quotes))

    def passages(self, statement: str, quotes: Sequence[str] = ()) -> list[QuotePlace]:
        """Return the quotes of a statement where they stand and support it, or nothing where they do not.

        Where no quote is given, or none that stands anywhere, what is nearest to the statement is taken for it.
        """
        objection = self.objection(statement, quotes)
        if objection is Objection.NO_QUOTE:
            quotes = self.nearest(statement)
            objection = self.objection(statement, quotes)
        return [] if objection is not None else self.conversation.passages(quotes)

    def nearest(
        self, statement: str, least: float = 0.5, *, left_out: Sequence[str] = (), without_last: int = 0
    ) -> list[str]:
        """Return the clauses of one message of the user's that hold more than ``least`` of a statement's words.

        Those of the sentences ``left_out`` are none, and the user's last messages are passed over, ``without_last``.
        """
        terms = frozenset(terms_of(without_dates(statement)))
        nearest: list[str] = []
        most = least * len(terms)
        for clauses in self._said_clauses[without_last:]:
            held = {text: terms & own for text, own in clauses.items() if not any(text in one for one in left_out)}
            share = len(frozenset[str]().union(*held.values()))
            if share > most:
                most, nearest = share, [text for text, own in held.items() if own]
        return nearest

    @cached_property
    def _said_clauses(self) -> list[dict[str, frozenset[str]]]:
        """What the user says in each message, the last first: clauses with their terms."""
        users = [one.text for one in reversed(self.conversation.messages) if one.role == "user"]
        return [
            {one.text: frozenset(terms_of(one.text)) for one in reading_of(text).clauses if counts(one)}
            for text in users
        ]

    def objection(self, statement: str, quotes: Sequence[str]) -> Objection | None:
        """Return why a statement is not supported by its quotes, or None when it is."""
        passages = self.conversation.passages(quotes)
        counting = [one for one in passages if one.counts or not one.by_user]
        if not passages:
            return Objection.NO_QUOTE
        if not counting and _TELLS_OF_ASKING.search(folded(statement)):
            counting = [one for one in passages if any(clause.act is Act.ASKS for clause in one.clauses)]
        if not counting and words_what_is_imagined(statement):
            counting = [one for one in passages if any(clause.act is Act.IMAGINES for clause in one.clauses)]
        if not counting or _rests_on_conditions(statement, counting):
            return Objection.NOT_STATED
        if _rests_on_a_no(statement, counting, self.conversation):
            return Objection.NEGATION
        if _rests_on_a_guess(statement, counting, self.conversation) or _is_undecided(statement, counting):
            return Objection.NOT_STATED
        answered = [self.conversation.answered(turn) for turn in {one.turn for one in counting if one.by_user}]
        affirmed = [one.text for one in counting if not one.by_user]
        own = "\n".join((self._users, *affirmed, *answered))
        told = self._users + "\n" + self._known
        if not knows_numbers(statement, own + "\n" + self._known) or answers_with_another(statement, counting, told):
            return Objection.NUMBER
        if not knows_names(statement, own + "\n" + self._known):
            return Objection.NAME
        if _unsaid_words(statement, own + "\n" + self._known):
            return Objection.WORDS
        spoken = "\n".join((*(one.text for one in counting), *answered))
        if _borrows(statement, spoken, self._others(answered), own + "\n" + self._known):
            return Objection.WORDS
        words = frozenset(words_of(statement))
        if len(words & self._tools - frozenset(words_of(own))) > _TOOLS_WORDS * len(words):
            return Objection.WORDS
        if not agrees(statement, counting, own):
            return Objection.NEGATION
        sentences = [one.text for one in counting if one.by_user]
        if is_of_another(statement, counting) or crosses_owners(statement, sentences):
            return Objection.PERSON
        if crosses_names(statement, sentences):
            return Objection.NAME
        if crosses_values(statement, sentences):
            return Objection.NUMBER
        if is_over(statement, counting):
            return Objection.PAST
        return Objection.TAKEN_BACK if taken_back(statement, counting, self.conversation.messages) else None

    @cached_property
    def _tools(self) -> frozenset[str]:
        return frozenset(
            word for one in self.conversation.messages if one.role == "tool" for word in words_of(one.text)
        )

    def _others(self, answered: Sequence[str]) -> str:
        return "\n".join(
            one.text for one in self.conversation.messages if one.role != "user" and one.text not in answered
        )


def _rests_on_a_guess(statement: str, passages: Sequence[QuotePlace], conversation: QuotedConversation) -> bool:
    """Return whether something of a statement stands in a guess or a question alone, or in what is reported."""
    plain = folded(statement)
    if _HEDGES.search(plain) or _TELLS_OF_ASKING.search(plain):
        return False
    unsure = {Act.ASKS, Act.GUESSES, Act.SUPPOSES}
    if not words_what_is_imagined(statement):
        unsure.add(Act.IMAGINES)
    if not (ANOTHER_IN.search(plain) or RELATION_ZH.search(plain)):
        unsure.add(Act.REPORTS)
    sure: set[str] = set()
    open_: set[str] = set()
    for one in passages:
        quoted = conversation.messages[one.turn].text[one.start : one.end]
        taken_up = any(two.act is Act.STATES and _TAKES_UP.search(folded(two.text)) for two in one.clauses)
        for clause in one.clauses if one.by_user else ():
            granted = clause.act is Act.ASKS and (taken_up or _TAKES_FOR_GRANTED.search(folded(clause.text)))
            is_sure = (
                clause.act not in unsure
                or granted
                or (counts_as_asked(clause, quoted) if clause.act is Act.ASKS else counts(clause, quoted))
            )
            (sure if is_sure else open_).update(terms_of(clause.text))
            sure.update(terms_of(own_things(quoted)))
    return bool(frozenset(terms_of(statement)) & (open_ - sure))


def _rests_on_a_no(statement: str, passages: Sequence[QuotePlace], conversation: QuotedConversation) -> bool:
    """Return whether quotes that have nothing of a statement say no to the assistant, and it denies nothing."""
    if denies(statement) or _DECLINED.search(folded(statement)):
        return False
    own = frozenset(terms_of(statement))
    return any(
        one.by_user and own.isdisjoint(terms_of(one.text)) and conversation.turned_down(one.turn) for one in passages
    )


def _rests_on_conditions(statement: str, passages: Sequence[QuotePlace]) -> bool:
    """Return whether all of a statement stands in the conditions of its quotes: "we leave if he sells the house"."""
    if words_a_condition(statement) or words_what_is_imagined(statement):
        return False
    parts = [apart_from_conditions(text) for one in passages if one.by_user for text in one.texts]
    own = frozenset(terms_of(statement))
    held = own & frozenset(terms_of(" ".join(rest for _, rest in parts)))
    return not held and not own.isdisjoint(terms_of(" ".join(condition for condition, _ in parts)))


def _is_undecided(statement: str, passages: Sequence[QuotePlace]) -> bool:
    """Return whether a statement takes for settled what its quotes are only thinking of."""
    texts = [folded(text) for one in passages if one.by_user for text in one.texts]
    return bool(texts) and not _HEDGES.search(folded(statement)) and all(map(_UNDECIDED.search, texts))


def _unsaid_words(statement: str, said: str) -> bool:
    """Return whether a statement has more words than a rewording brings along that nobody said."""
    text = re.sub(r"[一二两三四五六七八九十百千万零月日号年周岁个只]", " ", without_dates(folded(statement)))
    terms = list(dict.fromkeys(terms_of(text)))
    told = Told(said)
    if _weight(one for one in terms if not told.holds(one)) > max(_MOST_WORDS, _MOST_SHARE * _weight(terms)):
        return True
    # What is put behind something true, in a part of its own, is not under its cover.
    parts = [frozenset(terms_of(without_dates(one))) for one in phrases_of(statement)]
    return any(_weight(one) > _MOST_WORDS and not any(map(told.holds, one)) for one in parts)


def _particulars(text: str) -> frozenset[str]:
    """Return the numbers and days of the week of a text."""
    return values_in(text) | {f"weekday {number}" for number in weekdays_in(folded(text))}


def _weight(terms: Iterable[str]) -> float:
    """Return how many words terms are: two Chinese characters are one."""
    return sum(1.0 if one.isascii() or len(one) > 1 else 0.5 for one in terms)


def _borrows(statement: str, quoted: str, others: str, said: str) -> bool:
    """Return whether a statement that is far from its quote has a word that the assistant alone has said.

    One that has nothing in common with its quote and what that answers borrows everything.
    """
    own = frozenset(terms_of(without_dates(statement)))
    quote = Told(quoted)
    shared = frozenset(filter(quote.holds, own))
    if len(shared) > len(own) / 2:
        return False
    if own and not shared and not _particulars(statement) & _particulars(quoted):
        return True
    told = Told(said)
    return _weight(one for one in own & frozenset(terms_of(others)) if not told.holds(one)) >= 1
