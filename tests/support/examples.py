"""The number of examples of a property test: a fifth in every run, and all at night."""

import os


def examples(count: int) -> int:
    """Return the number of examples for this run, out of the ``count`` with NANOBOT_MEMORY_RANDOM set."""
    return count if "NANOBOT_MEMORY_RANDOM" in os.environ else max(20, count // 5)
