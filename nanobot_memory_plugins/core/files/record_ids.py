"""Ids of records: UUIDs of version 7, which sort by when they were made.

They are made where a record is written, before anybody else sees it: so it may be sent to others as often as it takes.
"""

import secrets
from collections.abc import Callable
from datetime import datetime

_MILLISECONDS, _VERSION, _VARIANT = (1 << 48) - 1, 7, 2


def new_record_id(now: datetime, random_bits: Callable[[int], int] = secrets.randbits) -> str:
    """Return an id for a record that is written now."""
    moment = int(now.timestamp() * 1000) & _MILLISECONDS
    number = moment << 80 | _VERSION << 76 | random_bits(12) << 64 | _VARIANT << 62 | random_bits(62)
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
