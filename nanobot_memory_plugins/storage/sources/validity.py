"""From when to when an entry holds, as it is written after its text in the index."""

import re
from datetime import datetime, timedelta

from nanobot_memory_plugins.core.text.fence import language_of

_SUPERSEDED = re.compile(r"(?:\(earlier(?:, [\w ,-]+)?\)|（以前(?:，[\d至-]+)?）)\s*$")
# Characters of the longest mark.
_LONGEST = 60


def is_superseded(text: str) -> bool:
    """Return whether a text is that of an entry that another one has replaced."""
    return _SUPERSEDED.search(text[-_LONGEST:]) is not None


def last_day(text: str, expires: str) -> str:
    """Return what is appended to a text that does not say until which day it holds."""
    day = _day_before(expires)
    return f" ({day})" if day and day not in text else ""


def held(text: str, since: str, until: str) -> str:
    """Return what is appended to a text that has been replaced by another one: from when to when it held."""
    first, last = _day_before(since), _day_before(until)
    if language_of(text) == "zh":
        return f"（以前，{first}至{last}）" if last else "（以前）"
    return f" (earlier, {first} to {last})".replace(",  to", ", until") if last else " (earlier)"


def holds_since(text: str, since: str) -> str:
    """Return what is appended to a text that has taken the place of another one."""
    first = _day_before(since)
    if not first:
        return ""
    return f"（自{first}起）" if language_of(text) == "zh" else f" (since {first})"


def _day_before(moment: str) -> str:
    """Return the local day just before a moment, or nothing where there is none."""
    try:
        return (datetime.fromisoformat(moment) - timedelta(microseconds=1)).astimezone().date().isoformat()
    except (ValueError, OverflowError):
        return ""
