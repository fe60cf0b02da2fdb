"""Keeps a note of every deadline that the user mentions."""

import re

from pydantic import BaseModel

from nanobot_memory_plugins.core import Note, Origin, PluginContext, hookimpl

DEADLINE = re.compile(r"\b(?:by|before|until|due) (?:\w+ )?\d{1,2}\b|\d{1,2}月\d{1,2}[日号]\s*(?:之前|前|截止)", re.I)


class Options(BaseModel):
    """What the user may set."""

    tags: tuple[str, ...] = ("deadline",)


@hookimpl.on_message_received
def on_message_received(text: str, context: PluginContext[Options], **_: object) -> Note | None:
    """Return a note when a deadline stands in the message."""
    if (found := DEADLINE.search(text)) is None:
        return None
    return Note(tldr=f"Deadline: {found[0]}", details=text, tags=context.options.tags, origin=Origin.USER)
