"""How many rounds a case runs."""

import os


def rounds(short: int, *, long: int | None = None) -> int:
    """Return ``short``, or where ``NANOBOT_MEMORY_FAULT_ROUNDS`` is set that number, at most ``long``."""
    wanted = int(os.environ.get("NANOBOT_MEMORY_FAULT_ROUNDS", "0"))
    if not wanted:
        return short
    return min(wanted, long) if long is not None else wanted


def is_long() -> bool:
    """Tell whether the long form is wanted."""
    return bool(os.environ.get("NANOBOT_MEMORY_FAULT_ROUNDS"))
