"""Prints recall and false positives on the generated corpus, and the weak categories.

``python -m benchmarks.made_secrets [SEED] [ROUNDS]``
"""

import sys
from collections import Counter
from itertools import chain

from nanobot_memory_plugins.core.redaction import redact_text
from tests.redaction.made_corpus import every_place, negatives, positives


def main(seed: int = 1, rounds: int = 1) -> None:
    """Measure `rounds` samples of every category, generated with `seed`."""
    counts: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for case in chain(positives(seed, rounds), *(every_place(seed + number) for number in range(rounds))):
        text = redact_text(case.text)
        counts[case.category] += 1
        kept[case.category] += any(secret in text for secret in case.secrets)
    print(f"{counts.total()} secrets in {len(counts)} categories: recall {1 - kept.total() / counts.total():.4f}")
    for category, count in (+kept).most_common():
        print(f"  {count} of {counts[category]} stayed: {category}")
    texts = list(negatives(seed, rounds))
    changed = Counter(case.category for case in texts if redact_text(case.text) != case.text)
    print(f"{len(texts)} texts without secrets: false positives {changed.total() / len(texts):.4f}")
    for category, count in changed.most_common():
        print(f"  {count} changed: {category}")


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:3]]
    main(given[0] if given else 1, given[1] if len(given) > 1 else 1)
