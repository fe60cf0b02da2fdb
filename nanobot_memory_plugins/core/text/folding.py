"""Folding of texts for comparison, and the positions of folded letters in the original text."""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, count, repeat

from nanobot_memory_plugins.redaction.script.chinese_script import simplified


def fold_text(text: str) -> str:
    """Return a text for comparison: NFKC, with simplified characters and casefolded."""
    return simplified(unicodedata.normalize("NFKC", text)).casefold()


@dataclass(frozen=True, slots=True)
class FoldedText:
    """The folded ``letters`` of a text, with the position in the text of the character that each comes from."""

    letters: str
    places: tuple[int, ...]

    @classmethod
    def of(cls, text: str, letters_of: Callable[[str], str]) -> "FoldedText":
        """Fold a text, where ``letters_of`` returns the folded letters of a character: none, one or several."""
        letters = list(map(letters_of, text))
        places = map(repeat, count(), map(len, letters))  # fast for whole prompts: no Python frame per character
        return cls("".join(letters), tuple(chain.from_iterable(places)))

    def find(self, phrase: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each occurrence of a folded phrase in the original text."""
        at = self.letters.find(phrase)
        while at >= 0:
            yield self.places[at], self.places[at + len(phrase) - 1] + 1
            at = self.letters.find(phrase, at + 1)
