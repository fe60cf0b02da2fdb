"""Entries of which nothing is left to know: what they said is hidden."""

import re
from collections.abc import Mapping

from nanobot_memory_plugins.consolidation.model.entry import Entry

_PLACEHOLDER = re.compile(r"\[(?:REDACTED|API_KEY|PRIVATE_KEY|EMAIL|PHONE|CARD|ID_NUMBER|IBAN)\]")
# A clause of its own tells something of its own: "the network is HarborGuest, the password is [REDACTED]".
_CLAUSES = re.compile(r"[.;!?。；！？\n]+(?:\s|$)|[,，、；。]|\s(?:and|but)\s")
# The weight of words from which it does: more than "ok" and "please".
_LEAST_WEIGHT = 1.5


def is_point_hidden(text: str) -> bool:
    """Tell whether what a text is about is hidden, and no clause of it says anything else."""
    if not _PLACEHOLDER.search(text):
        return False
    from nanobot_memory_plugins.consolidation.model.normalised import wording

    return (
        wording(" ".join(clause for clause in _CLAUSES.split(text) if not _PLACEHOLDER.search(clause))).weight
        < _LEAST_WEIGHT
    )


def without_empty(entries: Mapping[str, Entry], known: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return entries without those that are not ``known`` and of which only a placeholder is left."""
    return {id_: entry for id_, entry in entries.items() if id_ in known or not is_point_hidden(entry.content)}
