"""Recall and false positives on the generated corpus, with seeds that were not used for tuning.

``NANOBOT_MEMORY_REDACTION_ROUNDS`` sets how many texts of every category there are; docs/trust.md has the long form.
"""

import os
import re
from collections import Counter
from random import Random

import pytest

from nanobot_memory_plugins.core.redaction import redact_text
from tests.redaction.made_corpus import every_place, negatives, positives

ROUNDS = int(os.environ.get("NANOBOT_MEMORY_REDACTION_ROUNDS", "2"))
SEED = int(os.environ.get("NANOBOT_MEMORY_REDACTION_SEED", "20260000"))


def figures(cases):
    """Return the number of cases, and the failures by category: a visible secret, or a changed harmless text."""
    count, failed = 0, Counter()
    for case in cases:
        text = redact_text(case.text)
        count += 1
        if any(secret in text for secret in case.secrets) or (not case.secrets and text != case.text):
            failed[case.category] += 1
    return count, failed


@pytest.mark.slow
@pytest.mark.accept("V3-12")
def test_secrets_of_more_than_340_categories_are_hidden():
    categories = {case.category for case in positives(0, 1)}
    assert len(categories) > 340
    count, failed = figures(positives(SEED, ROUNDS))
    assert failed.total() <= 0.01 * count, failed.most_common(20)
    count, failed = figures(every_place(SEED))
    assert failed.total() <= 0.01 * count, failed.most_common(20)


@pytest.mark.slow
def test_many_texts_in_one_lose_their_secrets_and_nothing_else():
    cases = [*positives(SEED + 7, 1), *negatives(SEED + 7, 1)]
    Random(SEED).shuffle(cases)
    kept = 0
    for first in range(0, len(cases), 50):
        part = cases[first : first + 50]
        marks = [f"Part {number} of the report ends here." for number in range(len(part))]
        text = redact_text(
            "\n".join(line for case, mark in zip(part, marks, strict=True) for line in (case.text, mark))
        )
        assert re.findall(r"Part [0-9]+ of the report ends here\.", text) == marks
        kept += sum(any(secret in text for secret in case.secrets) for case in part)
    assert kept <= 0.01 * len(cases)


def test_texts_without_secrets_are_unchanged():
    count, failed = figures(negatives(SEED, 2 * ROUNDS))
    assert count > 200 * ROUNDS
    assert failed.total() <= 0.005 * count, failed
