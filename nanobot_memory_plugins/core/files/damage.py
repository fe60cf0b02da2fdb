"""Telling a memory file that a disk or a crash has damaged from one that people wrote."""

from nanobot_memory_plugins.redaction.script.messages import Sentence

# Bytes that a disk leaves where it has lost some, in a row.
_ERASED = b"\xff" * 4
# The share of a file that may be no UTF-8: people keep notes in other encodings, too.
_MOST_UNREADABLE = 0.1


def damage_in(data: bytes) -> str:
    """Say what is wrong with the bytes of a Markdown file, or return the empty string."""
    if b"\0" in data:
        return Sentence("it holds NUL bytes")
    if _ERASED in data:
        return Sentence("it holds erased bytes")
    try:
        data.decode()
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        if text.count("\ufffd") > max(8, _MOST_UNREADABLE * len(text)):
            return Sentence("it is no text")
    return ""
