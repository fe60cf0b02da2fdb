"""No pattern of the project takes longer a character the longer the text is: what it looks for, over and over.

`NANOBOT_MEMORY_LONG=1` tries more repetitions, on longer texts, against a narrower bound.
"""

from __future__ import annotations

import os
import random
import re

import pytest

from nanobot_memory_plugins.core.redaction import redact_text
from tests.support.hostile_repetitions import Used, patterns, repeated, repetitions, seconds_to_use

LONG = bool(os.environ.get("NANOBOT_MEMORY_LONG"))
SIZE, REPETITIONS, SECONDS_A_KB = (65_536, 40, 0.003) if LONG else (4_096, 4, 0.005)
# Of shorter texts the clock's own spread on a busy machine would decide.
_LEAST = 1_024
# Patterns whose callers hand them no more than this many characters.
BOUNDED = {
    "core.erasure.matching._LINE_BEFORE": 200,
    "redaction.values.bare_words._NO_VALUE": 128,
    "redaction.detectors.personal._LOCAL": 64,
}


def too_dear(used: Used, longest: int) -> str:
    """Give the repetition of which a text takes too long, or nothing; longer and longer texts are tried."""
    for token in repetitions(used.pattern, 1, REPETITIONS):
        size = 64
        while size <= longest:
            if seconds_to_use(used, repeated(token, size)) > SECONDS_A_KB * max(longest, _LEAST) / 1024:
                return f"{token!r}, {size} characters"
            size *= 8
    return ""


@pytest.mark.slow
def test_every_pattern_takes_time_that_grows_with_the_text_alone() -> None:
    found = patterns()
    assert len(found) > 300
    dear = {}
    for place, used in found.items():
        name = place.removeprefix("nanobot_memory_plugins.")
        if repetition := too_dear(used, min(SIZE, BOUNDED.get(name, SIZE))):
            dear[name] = f"{repetition}: {used.pattern.pattern[:80]}"
    assert not dear


def test_a_pattern_that_tries_everything_again_is_told() -> None:
    assert too_dear(Used(re.compile(r"(?:ab?|b?c|a)*!"), frozenset({"search"})), 32_768)


def test_eighty_capitals_behind_a_word_for_a_password_are_redacted_at_once() -> None:
    capitals = "".join(random.Random(1).choices("QWERTYUIOPASDFGH", k=300))
    assert redact_text(f"password={capitals} and more") == "password=[REDACTED] and more"
