"""Telling a damaged file from one that somebody edited, and what is there in its place."""

from collections.abc import Sequence

from nanobot_memory_plugins.consolidation.document import parse

# Bytes that a disk leaves where it has lost some, in a row.
_ERASED = b"\xff" * 4
# The share of a file that may be no UTF-8: people keep notes in other encodings, too.
_MOST_UNREADABLE = 0.1


def damage_of(data: bytes, seen: bytes | None) -> str:
    """Say what is wrong with a file, or return the empty string. ``seen`` is the file as it was written last.

    What was deleted up to the end of a line is somebody's edit; what breaks off within a line or behind the header of
    an entry is half a file.
    """
    if b"\0" in data:
        return "it holds NUL bytes"
    if _ERASED in data:
        return "it holds erased bytes"
    if not data.strip(b"\xef\xbb\xbf \t\r\n"):
        return "it is empty" if seen is not None and parse(seen).entries else ""
    if _unreadable(data):
        return "it is no text"
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


def _unreadable(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        return text.count("\ufffd") > max(8, _MOST_UNREADABLE * len(text))
    return False
