"""Words written down as one text, for lists that are read more often than they are run."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Give the words of ``text``, which white space divides."""
    return frozenset(text.split())
