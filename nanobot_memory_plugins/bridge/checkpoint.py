"""The one text by which nanobot replaces what it compacts: our summary, and below it the messages that stay.

nanobot cannot keep a tail of messages. Each is written out as a line of JSON, so that no text can pass for another
speaker's, and the next compaction gets it back as it was.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

from nanobot_memory_plugins.core import Message, Summary, estimate_tokens, remove_fenced
from nanobot_memory_plugins.core.text.tokens import truncate_to_tokens

_HEADING = "\n\nLast messages, as they were, one a line:\n"
_KEPT = ("role", "name", "tool_calls", "tool_call_id")


def replacement(summary: Summary, messages: Sequence[Message], *, fits: Callable[[str], bool], first: int = 0) -> str:
    """Return the summary's text with the messages that it keeps written out below it.

    ``first`` is the index of the first message that can be kept; before it is an earlier summary. ``fits`` says
    whether a text has room: else the oldest messages are left out, and last the end of the summary.
    """
    text, kept = summary.text.strip(), list(messages[max(first, summary.keep_from) :])
    while kept and (kept[0].role == "tool" or not fits(_joined(text, kept))):
        kept.pop(0)
    while not kept and not fits(text) and (tokens := estimate_tokens(text)) > 1:
        text = truncate_to_tokens(text, tokens * 7 // 8)
    return _joined(text, kept)


def split_checkpoint(text: str) -> tuple[str, list[dict[str, Any]]]:
    """Return the summary in a text that `replacement` made, and the messages below it; of any other text, all of it."""
    summary, heading, tail = text.rpartition(_HEADING)
    try:
        return (summary, list(map(json.loads, tail.strip().split("\n")))) if heading else (text, [])
    except ValueError:
        return text, []


def _joined(text: str, kept: Sequence[Message]) -> str:
    return f"{text}{_HEADING}" + "\n".join(map(_line, kept)) if kept else text


def _line(message: Message) -> str:
    row = {name: message.raw[name] for name in _KEPT if message.raw.get(name)}
    return json.dumps({**row, "content": remove_fenced(message.text).strip()}, ensure_ascii=False, default=dict)
