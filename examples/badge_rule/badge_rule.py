"""Hides the numbers of a company's badges, which no built-in rule can recognise: ``BDG-`` and six digits."""

import re

from nanobot_memory_plugins.redaction.rules.rule import Rule


def is_issued(badge: str) -> bool:
    """Return whether a badge can have that number: its last digit is the sum of the others, modulo 10."""
    digits = [int(char) for char in badge[-6:]]
    return digits[-1] == sum(digits[:-1]) % 10


BADGE = Rule(
    kind="badge",
    placeholder="[BADGE]",
    pattern=re.compile(r"(?<![A-Za-z0-9])BDG-[0-9]{6}(?![0-9])"),
    validator=is_issued,
    literals=("BDG-",),
)
