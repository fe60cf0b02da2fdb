"""Keeps a note of every deadline that the user mentions."""

import re

from pydantic import BaseModel

from nanobot_memory_plugins.core import Note, Origin, PluginContext, hookimpl

DEADLINE = re.compile(r"\b(?:by|before|until|due) (?:\w+ )?\d{1,2}\b|\d{1,2}月\d{1,2}[日号]\s*(?:之前|前|截止)", re.I)


class Options(BaseModel):
    tags: tuple[str, ...] = ("deadline",)


@hookimpl
def on_message_received(text: str, context: PluginContext[Options], **_: object) -> list[Note]:
    """Return a note of each deadline in the message."""
    due, tags = [one[0] for one in DEADLINE.finditer(text)], context.options.tags
    return [Note(tldr=f"Deadline: {one}", details=text, tags=tags, origin=Origin.USER) for one in due]
