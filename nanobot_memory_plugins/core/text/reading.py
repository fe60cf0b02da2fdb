"""A message read once: what its author wrote, sentence by sentence, and what each part of it does."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from nanobot_memory_plugins.core.text.acts import Act, Clause, clauses_of
from nanobot_memory_plugins.core.text.fence import Language, language_of
from nanobot_memory_plugins.core.text.sentences import sentence_spans
from nanobot_memory_plugins.core.values import Message
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.text.numerals import Numeral
    from nanobot_memory_plugins.core.text.relative_dates import DaySpan

# A text is read so far, in sentences and in characters: what is longer is a document.
_SENTENCES, _CHARACTERS = 600, 60_000


class Script(StrEnum):
    """The script of a text. Chinese that looks the same in both counts as simplified."""

    LATIN = "latin"
    SIMPLIFIED = "simplified"
    TRADITIONAL = "traditional"


@dataclass(frozen=True)
class ReadSentence:
    """One sentence: ``text`` as it was written, and where it begins in the text that was read."""

    text: str
    start: int

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """Its clauses, all of it, and what each does."""
        return clauses_of(self.text)

    @property
    def acts(self) -> frozenset[Act]:
        """What it does."""
        return frozenset(clause.act for clause in self.clauses)

    @property
    def asks(self) -> bool:
        """Whether some of it asks."""
        return Act.ASKS in self.acts

    @property
    def only_asks(self) -> bool:
        """Whether it asks, and says nothing else on its author's own account."""
        return self.asks and not any(clause.is_own_word for clause in self.clauses)

    @cached_property
    def own_word(self) -> str:
        """What of it says what its author holds or wants; all of it as a rule, or nothing."""
        if all(clause.is_own_word for clause in self.clauses):
            return self.text
        return " ".join(clause.text.rstrip(" ,，:：") for clause in self.clauses if clause.is_own_word)


@dataclass(frozen=True)
class Reading:
    """A message as it is read: nothing is looked for before somebody asks.

    ``text`` is the message as it was written, of a document its beginning and its end; ``authored`` what of it its
    author wrote: no code, no quotations, nothing that was pasted. All the rest is said of ``authored``.
    """

    text: str
    authored: str

    @property
    def sentences(self) -> tuple[ReadSentence, ...]:
        """Its sentences, in their order."""
        return _sentences_of(self.authored[:_CHARACTERS])

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses of all sentences."""
        return tuple(clause for sentence in self.sentences for clause in sentence.clauses)

    @cached_property
    def own_word(self) -> str:
        """What of it says what its author holds or wants, a line a sentence."""
        return "\n".join(filter(None, (sentence.own_word for sentence in self.sentences)))

    @cached_property
    def asks(self) -> bool:
        """Whether some of it asks."""
        return any(sentence.asks for sentence in self.sentences)

    @cached_property
    def ends_in_question(self) -> bool:
        """Whether what it does last is to ask."""
        return bool(self.sentences) and self.sentences[-1].clauses[-1].act is Act.ASKS

    @property
    def language(self) -> Language:
        """Its language: ``zh`` where Chinese characters stand in it."""
        return language_of(self.authored)

    @cached_property
    def script(self) -> Script:
        """Its script."""
        if not any("\u3400" <= one <= "\u9fff" for one in self.authored):
            return Script.LATIN
        return Script.SIMPLIFIED if simplified(self.authored) == self.authored else Script.TRADITIONAL

    @cached_property
    def numbers(self) -> "tuple[Numeral, ...]":
        """The numbers that it names, in their order: 6,500, 六千五 and 6.5k have the value ``6500``."""
        from nanobot_memory_plugins.core.text.numerals import numerals_in  # its patterns cost an import

        return tuple(one for sentence in self.sentences for one in numerals_in(sentence.text))

    def days(self, now: datetime) -> "tuple[DaySpan, ...]":
        """Return the days that it names, seen from ``now``: "last Friday", 三天前, "in March 2024"."""
        from nanobot_memory_plugins.core.text.relative_dates import relative_spans  # its patterns cost an import

        return relative_spans(self.authored, now)


def reading_of(text: str) -> Reading:
    """Return the reading of a text that is its author's own as a whole."""
    return Reading(text, text)


def message_reading(message: Message | str) -> Reading:
    """Return the reading of a message; a text is a user's.

    It is the same object for everybody who asks for the same words while they are among the last few hundred.
    """
    from nanobot_memory_plugins.core.text.pasted import whole_or_ends  # its patterns cost an import
    from nanobot_memory_plugins.core.text.conversation import own_words

    is_users = isinstance(message, str) or message.role == "user"
    text = message if isinstance(message, str) else own_words(message)
    return _message_reading(whole_or_ends(text), is_users)


@lru_cache(maxsize=512)
def _message_reading(text: str, is_users: bool) -> Reading:
    from nanobot_memory_plugins.core.text.pasted import authored_text

    return Reading(text, authored_text(Message("user" if is_users else "assistant", text)))


@lru_cache(maxsize=256)
def _sentences_of(text: str) -> tuple[ReadSentence, ...]:
    spans = islice(sentence_spans(text), _SENTENCES)
    return tuple(ReadSentence(text[start:end], start) for start, end in spans)
