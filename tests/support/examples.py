"""How many examples a property is tried on: at night all that its test names, and in every run a fifth of them."""

import os


def examples(count: int) -> int:
    """Return how many examples to take now, of the ``count`` that are taken where NANOBOT_MEMORY_RANDOM is set."""
    return count if "NANOBOT_MEMORY_RANDOM" in os.environ else max(20, count // 5)
