"""What a host is told: facts of which no two are alike, and how one is known again."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from nanobot_memory_plugins.core.text.fence import remove_fenced

PLACES = ("attic", "barn", "cellar", "dairy", "forge", "garage", "hall", "loft")
_NUMBER = re.compile(r"box (\d{5}) stands in the", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact. With ``is_order`` the user asks to remember it."""

    number: int
    is_order: bool = False

    @property
    def fact(self) -> str:
        """The fact alone."""
        return (
            f"The box {self.number} stands in the {PLACES[self.number % len(PLACES)]} behind shelf {self.number % 97}"
        )

    @property
    def told(self) -> str:
        """What the user says."""
        said = self.fact.replace("The", "the", 1)
        return f"Remember that {said}." if self.is_order else f"For the record, {said}."

    @property
    def question(self) -> str:
        """What is asked about it; the answer does not stand in it."""
        return f"Where is the box {self.number} to be found?"

    @property
    def answer(self) -> str:
        """How an assistant acknowledges it, as for no other."""
        return f"Noted, as number {self.number}."

    def stands_in(self, text: str) -> bool:
        """Tell whether a text says it."""
        return self.fact.partition(" ")[2] in text


def numbers_in(texts: Iterable[str]) -> Counter[int]:
    """Return how many of the texts tell of each number."""
    return Counter(number for text in texts for number in {int(found) for found in _NUMBER.findall(text)})


def acknowledged_in(text: str) -> str:
    """Return how an assistant acknowledges what a message tells, or what else it says. Recalled facts are none."""
    found = _NUMBER.findall(remove_fenced(text))
    return Fact(int(found[-1])).answer if found else "Understood."
