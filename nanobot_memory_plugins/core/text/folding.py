"""The spelling in which texts are compared, and where what is found in it stands in the text itself."""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, count, repeat

from nanobot_memory_plugins.redaction.script.chinese_script import simplified


def fold_text(text: str) -> str:
    """Return a text as most texts are compared: in compatibility forms, simplified characters and small letters."""
    return simplified(unicodedata.normalize("NFKC", text)).casefold()


@dataclass(frozen=True, slots=True)
class FoldedText:
    """The ``letters`` of a text as they are compared, and the place in it of the character that each is of."""

    letters: str
    places: tuple[int, ...]

    @classmethod
    def of(cls, text: str, letters_of: Callable[[str], str]) -> "FoldedText":
        """Return a text of whose characters ``letters_of`` gives what each is compared as: none, one or several."""
        letters = list(map(letters_of, text))
        places = map(repeat, count(), map(len, letters))  # a whole prompt is looked through: no frame a character
        return cls("".join(letters), tuple(chain.from_iterable(places)))

    def find(self, phrase: str) -> Iterator[tuple[int, int]]:
        """Yield where a phrase, itself folded, begins and ends in the text."""
        at = self.letters.find(phrase)
        while at >= 0:
            yield self.places[at], self.places[at + len(phrase) - 1] + 1
            at = self.letters.find(phrase, at + 1)
