"""How long an answer to a message waits for a write, which goes on behind it."""

import time

from nanobot_memory_plugins.core.language_model import hook_deadline

# The share of the hook's remaining time, and the seconds without a hook's limit.
_SHARE, _SECONDS = 0.6, 0.3


def seconds_for_a_write() -> float:
    """Return the seconds that an answer may wait now."""
    deadline = hook_deadline.get()
    return _SECONDS if deadline is None else max(0.02, _SHARE * (deadline - time.monotonic()))
