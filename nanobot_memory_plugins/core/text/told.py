"""The words of what was said, asked for those of a rewording: in short, in full, in another form."""

from nanobot_memory_plugins.core.text.numerals import values_in
from nanobot_memory_plugins.core.text.statement_terms import folded, terms_of

# What any rewording may bring along, by stems: months and years, "including", "free of".
_REWORDING = frozenset("year month week day hour minut old inclu own fre".split())  # noqa: SIM905
# The shortest beginning of a word that stands for it: "bio", "prod".
_ABBREVIATED = 3


class Told:
    """The words of what was said, and those that stand for them in a rewording."""

    def __init__(self, said: str) -> None:
        self._terms = frozenset(terms_of(said)) | frozenset(folded(said))
        self._begun = {one[:end] for one in self._terms for end in range(_ABBREVIATED + 1, len(one))}

    def holds(self, term: str) -> bool:
        """Return whether a term was said, in short or in full, or is one that any rewording brings along."""
        if term in self._terms or term in _REWORDING or values_in(term):
            return True
        return term.isascii() and (
            term in self._begun or any(term[:end] in self._terms for end in range(_ABBREVIATED, len(term)))
        )
