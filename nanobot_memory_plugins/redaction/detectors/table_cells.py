"""Cells of tables whose heading says what a number is, as a label in a sentence would: ``Passport no.``."""

from __future__ import annotations

from functools import lru_cache

from nanobot_memory_plugins.redaction.detectors.code_contexts import CODE_CUES, find_codes_in_context
from nanobot_memory_plugins.redaction.detectors.labelled_numbers import NUMBER_CUES, find_labelled_numbers
from nanobot_memory_plugins.redaction.rules.keyword_index import Lowered

TELLING_CUES = CODE_CUES | NUMBER_CUES
"""Words of which a heading holds one, where it tells what a number is."""
_LONGEST_HEADING, _LONGEST_CELL = 40, 40
_PROBES = ("AB1234567", "447193")


@lru_cache(maxsize=2048)
def is_telling(heading: str) -> bool:
    """Tell whether ``heading`` says that the numbers below it let somebody in, or name a person."""
    if not 2 <= len(heading) <= _LONGEST_HEADING or heading.isdigit():
        return False
    return any(is_told_below(probe, heading) for probe in _PROBES)


def is_told_below(cell: str, heading: str) -> bool:
    """Tell whether ``cell`` is such a number below ``heading``."""
    if len(cell) > _LONGEST_CELL or not any(map(str.isdigit, cell)):
        return False
    label = heading.strip(" *_`\"'").replace("_", " ")
    text = f"{label}: {cell}"
    lower = Lowered(text)
    at = len(label) + 2
    return any(
        span.start <= at + 1 and span.end >= len(text) - 1
        for find in (find_codes_in_context, find_labelled_numbers)
        for span in find(text, lower)
    )
