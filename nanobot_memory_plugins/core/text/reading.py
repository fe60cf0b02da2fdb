"""A message read once: what its author wrote, sentence by sentence, and what each part of it does."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

from nanobot_memory_plugins.core.text.acts import Act, Clause, clauses_of
from nanobot_memory_plugins.core.text.sentences import sentence_spans
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# A text is read so far, in sentences and in characters: what is longer is a document.
_SENTENCES, _CHARACTERS = 600, 60_000


class Script(StrEnum):
    """The script of a text. Chinese that looks the same in both counts as simplified."""

    LATIN = "latin"
    SIMPLIFIED = "simplified"
    TRADITIONAL = "traditional"


@dataclass(frozen=True)
class Sentence:
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
    """A text as it is read: nothing is looked for before somebody asks."""

    text: str

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """Its sentences, in their order."""
        return tuple(_sentences(self.text[:_CHARACTERS]))

    @property
    def clauses(self) -> Iterator[Clause]:
        """The clauses of all sentences."""
        return (clause for sentence in self.sentences for clause in sentence.clauses)

    @cached_property
    def own_word(self) -> str:
        """What of it says what its author holds or wants, a line a sentence."""
        return "\n".join(filter(None, (sentence.own_word for sentence in self.sentences)))

    @cached_property
    def asks(self) -> bool:
        """Whether some of it asks."""
        return any(sentence.asks for sentence in self.sentences)

    @cached_property
    def script(self) -> Script:
        """Its script."""
        if not any("\u3400" <= one <= "\u9fff" for one in self.text):
            return Script.LATIN
        return Script.SIMPLIFIED if simplified(self.text) == self.text else Script.TRADITIONAL


def _sentences(text: str) -> Iterator[Sentence]:
    for number, (start, end) in enumerate(sentence_spans(text)):
        if number == _SENTENCES:
            return
        yield Sentence(text[start:end], start)


@lru_cache(maxsize=512)
def reading_of(text: str) -> Reading:
    """Return the reading of a text; of the texts read last it is the same one."""
    return Reading(text)
