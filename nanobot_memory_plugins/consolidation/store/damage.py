"""Telling a damaged file from one that somebody edited, and what is there in its place."""

from collections.abc import Sequence

from nanobot_memory_plugins.consolidation.store.document import parse
from nanobot_memory_plugins.core.files import damage_in


def damage_of(data: bytes, seen: bytes | None) -> str:
    """Say what is wrong with a file, or return the empty string. ``seen`` is the file as it was written last.

    What was deleted up to the end of a line is somebody's edit; what breaks off within a line or behind the header of
    an entry is half a file.
    """
    if not data.strip(b"\xef\xbb\xbf \t\r\n"):
        return "it is empty" if seen is not None and parse(seen).entries else ""
    if damage := damage_in(data):
        return damage
    if seen is not None and len(data) < len(seen) and seen.startswith(data) and _breaks_off(data, seen):
        return "it breaks off"
    return ""


def best_copy(copies: Sequence[bytes | None]) -> bytes:
    """Return the first copy that is sound and has entries, else the first that is sound, else nothing."""
    sound = [copy for copy in copies if copy and not damage_of(copy, None)]
    return next((copy for copy in sound if parse(copy).entries), sound[0] if sound else b"")


def _breaks_off(data: bytes, seen: bytes) -> bool:
    last = data.rstrip(b"\r\n").rpartition(b"\n")[2]
    if last.lstrip(b" ").startswith(b"### ["):
        return True
    return not data.endswith(b"\n") and seen[len(data) : len(data) + 1] not in (b"\n", b"\r")
