"""The marker that identifies the summary of an earlier compaction among chat messages.

A summary begins with it, so that the next compaction continues the summary instead of treating it as a message that
somebody wrote. A host that stores its summaries elsewhere passes one as a system message that begins with the marker.
"""

from collections.abc import Sequence

from nanobot_memory_plugins.core.text.fence import Language
from nanobot_memory_plugins.core.values import Message

MARKERS: dict[Language, str] = {"en": "[Summary of the earlier conversation]", "zh": "[此前对话的摘要]"}


def marked_summary(text: str, language: Language) -> str:
    """Return ``text`` with one marker before it."""
    return f"{MARKERS[language]}\n{unmarked_summary(text)}"


def unmarked_summary(text: str) -> str:
    """Return the text of a summary without its marker."""
    text = text.strip()
    for mark in MARKERS.values():
        text = text.removeprefix(mark).lstrip()
    return text


def find_earlier_summary(messages: Sequence[Message]) -> int | None:
    """Return the index of the message with the earlier summary, or None.

    Only system messages may precede it: further on the marker would be part of an ordinary message.
    """
    for index, message in enumerate(messages):
        if message.text.lstrip().startswith(tuple(MARKERS.values())):
            return index
        if message.role != "system":
            return None
    return None
