"""Quotes in a conversation: where one stands, whose word it is, and whether what it says there counts.

A quote of the user's counts when the clause that holds it states something or wants it. One of the assistant's counts
when the user's next message affirms it.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from nanobot_memory_plugins.core.text.acts import Act, Clause
from nanobot_memory_plugins.core.text.affirming import affirms, declines, takes_up
from nanobot_memory_plugins.core.text.apart import stands_apart
from nanobot_memory_plugins.core.text.imagined import opens_a_game
from nanobot_memory_plugins.core.text.reading import ReadSentence, reading_of
from nanobot_memory_plugins.core.text.words import LazyPattern
from nanobot_memory_plugins.core.values import Message
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# Quotes of an item, and characters of one, that are looked at.
_QUOTES, _QUOTE_CHARS = 6, 1_000
_MESSAGE_CHARS = 40_000
_PARTED = LazyPattern(r"\[\.\.\.\]|…+|\.{3,}")

# A guess at a number is none at what it is the number of.
_ROUGHLY = LazyPattern(
    r"(?:大概|大约|估计|probably|maybe|perhaps|possibly)(?: about| around)?\s*[\d一二两三四五六七八九十百半]"
)
# "I think I'll take the train" tells of a decision.
_INTENDS = LazyPattern(
    r"\b(?:think|guess|suppose) (?:i|we)(?:'ll| will|'m going to| am going to|'d rather)\b|我想我?(?:会|就|还是)"
)
_OF_THE_USER = LazyPattern(
    r"\byou(?:'ve| have| had)?(?: just| once| already)? (?:said|told|mentioned|wrote|asked|noted)\b"
    r"|[你您].{0,4}[说提讲告写]"
)
_OWN_THING = LazyPattern(r"\b(?:my|our)\b|我(?:的|家|[儿女老先太爸妈父母爷奶公婆姐妹哥弟丈妻孙媳])")
_OWN_PHRASE = LazyPattern(rf"(?:{_OWN_THING.pattern})(?: ?[^\W\u3400-\u9fff]+){{0,4}}[\u3400-\u9fff]{{0,8}}")
_BOUND = LazyPattern(
    r"\b(?:under|below|within|less than|no more than|at most|up to)\W{1,2}\d"
    r"|[\d一二两三四五六七八九十百千万]\w{0,2}(?:以内|以下|之内)|不(?:要|能)?超过?[\d一二两三四五六七八九十百千万]"
)
_LAUGH = r"(?:ha(?:ha)+|lol|rofl|just kidding|kidding|joking|哈哈+|开玩笑|逗你|说笑|[😂🤣😆😜])"
# A laugh alone is a tone of voice.
_JOKES = LazyPattern(r"\b(?:kidding|joking|as if|yeah right|not really)\b|开玩笑|逗你|说笑", re.IGNORECASE)
_LAUGHS = LazyPattern(_LAUGH, re.IGNORECASE)
# What makes a laugh in front of it a joke: a supposition, or what somebody else says.
_UNREAL = LazyPattern(r"\bif\b|\b(?:says?|said|thinks?|jokes?)\b|要是|如果|假如|[说讲]")


@dataclass(frozen=True, slots=True)
class QuotePlace:
    """A quote where it stands: in which message, from where to where, and in which clauses.

    ``text`` is that of its sentences, ``texts`` are those of its clauses, up to the end of the quote.
    """

    turn: int
    start: int
    end: int
    by_user: bool
    text: str
    clauses: tuple[Clause, ...]
    texts: tuple[str, ...]
    counts: bool


@dataclass(frozen=True)
class _Letters:
    """The letters and figures of a text in one spelling, and the place of each in it."""

    text: str
    folded: str = field(init=False)
    places: list[int] = field(init=False)

    def __post_init__(self) -> None:
        letters: list[str] = []
        places: list[int] = []
        for place, character in enumerate(self.text[:_MESSAGE_CHARS]):
            for one in simplified(unicodedata.normalize("NFKC", character)).casefold():
                if one.isalnum():
                    letters.append(one)
                    places.append(place)
        object.__setattr__(self, "folded", "".join(letters))
        object.__setattr__(self, "places", places)


class QuotedConversation:
    """The messages of a conversation, asked for quotes. It works in memory alone.

    The messages hold their senders' own words, as `own_text` gives them.
    """

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages = messages

    @cached_property
    def _letters(self) -> list[_Letters]:
        return [_Letters(message.text) for message in self.messages]

    def passages(self, quotes: Sequence[str]) -> list[QuotePlace]:
        """Return where quotes stand, in what the user wrote, or in what the user has affirmed."""
        parts = [part for quote in quotes[:_QUOTES] for part in _PARTED.split(quote[:_QUOTE_CHARS]) if part.strip()]
        found = [one for part in parts if (one := self._find(part)) is not None]
        return sorted(found, key=lambda one: (one.turn, one.start))

    def answered(self, turn: int) -> str:
        """Return what the assistant said right before a message of the user's, but for what it reported of others."""
        before = turn - 1
        if before < 0 or self.messages[before].role != "assistant":
            return ""
        text = self.messages[before].text
        sentences = reading_of(text).sentences
        own = [one.text for one in sentences if not any(map(_is_of_others, one.clauses))]
        return text if len(own) == len(sentences) else " ".join(own)

    def turned_down(self, turn: int) -> bool:
        """Return whether a message of the user's says no to what the assistant asked right before it."""
        asked = self.answered(turn)
        return reading_of(asked).asks and declines(self.messages[turn].text, asked)

    def _find(self, quote: str) -> QuotePlace | None:
        folded = _Letters(quote).folded
        if not folded:
            return None
        theirs = None
        for turn in range(len(self.messages) - 1, -1, -1):
            letters = self._letters[turn]
            at = _whole(letters, folded)
            if at is None:
                continue
            start, end = letters.places[at], letters.places[at + len(folded) - 1] + 1
            if self.messages[turn].role == "user":
                passage = self._passage(turn, start, end)
                if passage.counts:
                    return passage
                theirs = theirs or passage
            elif self.messages[turn].role == "assistant":
                passage = self._passage(turn, start, end)
                if self._affirmed(passage):
                    return passage
        return theirs

    def _passage(self, turn: int, start: int, end: int) -> QuotePlace:
        by_user = self.messages[turn].role == "user"
        read = reading_of(self.messages[turn].text).sentences
        sentences = [one for one in read if one.start < end and start < one.start + len(one.text)]
        placed = [one for sentence in sentences for one in _placed(sentence) if one[1] < end and start < one[2]]
        held = [clause for clause, _, _ in placed]
        texts = tuple(self.messages[turn].text[at : min(to, end)] for _, at, to in placed)
        quoted = self.messages[turn].text[start:end]
        does_count = by_user and any(counts(clause, quoted) for clause in held) and not _is_joke(sentences, held)
        does_count = does_count and not any(opens_a_game(one.text) for one in read if one.start < start)
        return QuotePlace(
            turn, start, end, by_user, " ".join(one.text for one in sentences), tuple(held), texts, does_count
        )

    def _affirmed(self, passage: QuotePlace) -> bool:
        after = next((one.text for one in self.messages[passage.turn + 1 :]), "")
        if passage.turn + 1 >= len(self.messages) or self.messages[passage.turn + 1].role != "user":
            return False
        if any(map(_is_of_others, passage.clauses)):
            return False
        if any(clause.act is Act.ASKS for clause in passage.clauses):
            return affirms(after, passage.text)
        return takes_up(after)


def _is_of_others(clause: Clause) -> bool:
    """Return whether the assistant tells in a clause what somebody else says: a "yes" to it vouches for nothing."""
    return clause.act is Act.REPORTS and _OF_THE_USER.search(simplified(clause.text).casefold()) is None


def _whole(letters: _Letters, quote: str) -> int | None:
    """Return where a quote stands as whole words, or None: "art" is no quote of "start"."""
    at = letters.folded.find(quote)
    while at >= 0:
        first, last = letters.places[at], letters.places[at + len(quote) - 1]
        text = letters.text
        inside = (first > 0 and _is_latin(text[first]) and _is_latin(text[first - 1])) or (
            last + 1 < len(text) and _is_latin(text[last]) and _is_latin(text[last + 1])
        )
        if not inside:
            return at
        at = letters.folded.find(quote, at + 1)
    return None


def _is_latin(character: str) -> bool:
    return character.isalnum() and character < "\u2e80"


def _placed(sentence: ReadSentence) -> Iterator[tuple[Clause, int, int]]:
    at = 0
    for clause in sentence.clauses:
        place = max(at, sentence.text.find(clause.text, at))
        at = place + len(clause.text)
        yield clause, sentence.start + place, sentence.start + at


def counts(clause: Clause, quoted: str = "") -> bool:
    """Return whether a clause says something on its author's own account; what is quoted of it may tell more."""
    if clause.act is Act.GUESSES:
        text = simplified(clause.text).casefold().replace("’", "'")
        sure = _ROUGHLY.search(text) is not None or _INTENDS.search(text) is not None
        return sure or stands_apart(clause, quoted)
    if clause.act in (Act.STATES, Act.REQUESTS):
        return True
    if clause.act is not Act.ASKS:
        return False
    return bool(own_things(quoted)) or counts_as_asked(clause, quoted)


def counts_as_asked(clause: Clause, quoted: str) -> bool:
    """Whether a quote of a clause that asks tells something as a whole: "what is there under 25?", of a limit."""
    return _BOUND.search(simplified(quoted).casefold()) is not None or stands_apart(clause, quoted)


def own_things(quoted: str) -> str:
    """Return what a question takes for granted: "is ibuprofen safe with my warfarin?" tells of the warfarin."""
    return " ".join(found[0] for found in _OWN_PHRASE.finditer(simplified(quoted).casefold()))


def _is_joke(sentences: Sequence[ReadSentence], held: Sequence[Clause]) -> bool:
    """Return whether clauses are a joke: their sentences laugh, and nothing unreal stands behind the clauses alone."""
    text = " ".join(one.text for one in sentences)
    if _LAUGHS.search(text) is None:
        return False
    all_clauses = [clause for one in sentences for clause in one.clauses]
    unreal = [number for number, one in enumerate(all_clauses) if _UNREAL.search(simplified(one.text).casefold())]
    if unreal:  # "My late mother made it with saffron, she'd have said you need a jar of it, ha!"
        return any(any(one is two for two in held) for one in all_clauses[unreal[0] :])
    return _JOKES.search(text) is not None
