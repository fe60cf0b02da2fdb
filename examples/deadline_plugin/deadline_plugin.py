"""Keeps a note of every deadline that the user mentions."""

import re

from nanobot_memory_plugins.core import Note, NoteType, Origin, hookimpl

DEADLINE = re.compile(
    r"\b(?:by|before|until|due) (?:\w+ )?\d{1,2}\b|\d{1,2}月\d{1,2}[日号]\s*(?:之前|前|截止)", re.IGNORECASE
)


@hookimpl.on_message_received
def on_message_received(text: str, **_: object) -> Note | None:
    """Return a note when a deadline stands in the message."""
    found = DEADLINE.search(text)
    if found is None:
        return None
    return Note(tldr=f"Deadline: {found[0]}", details=text, type=NoteType.NOTE, tags=("deadline",), origin=Origin.USER)
