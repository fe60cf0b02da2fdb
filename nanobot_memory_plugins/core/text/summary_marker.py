"""The mark by which the summary of an earlier compaction is known among chat messages.

A summary begins with it, so that the next compaction carries the summary on and nobody takes it for something that was
said. A host that keeps its summaries elsewhere hands one over as a message of the system that begins with it.
"""

from collections.abc import Sequence

from nanobot_memory_plugins.core.text.fence import Language
from nanobot_memory_plugins.core.values import Message

MARK: dict[Language, str] = {"en": "[Summary of the earlier conversation]", "zh": "[此前对话的摘要]"}


def marked_summary(text: str, language: Language) -> str:
    """Return ``text`` with the mark before it, once."""
    return f"{MARK[language]}\n{unmarked_summary(text)}"


def unmarked_summary(text: str) -> str:
    """Return the text of a summary without its mark."""
    text = text.strip()
    for mark in MARK.values():
        text = text.removeprefix(mark).lstrip()
    return text


def find_earlier_summary(messages: Sequence[Message]) -> int | None:
    """Return the index of the message that holds the earlier summary, or None.

    Only system messages may come before it: the same words further on are somebody's, and no summary of ours.
    """
    for index, message in enumerate(messages):
        if message.text.lstrip().startswith(tuple(MARK.values())):
            return index
        if message.role != "system":
            return None
    return None
