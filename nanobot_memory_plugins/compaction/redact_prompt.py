"""Hiding secrets in what the model is shown: in whole texts, before they are cut."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nanobot_memory_plugins.core import Message
from nanobot_memory_plugins.core.files import REDACTION_FAILED

# Characters of one text that are looked at, half from either end: no excerpt reaches further in.
_TEXT_CHARS = 200_000
# Of messages that are only carried on as an extract, newest first.
_EXTRACT_CHARS = 200_000
_GAP = "\n[…]\n"


class Hiding:
    """Hides secrets in texts; each text is looked through once, however often it is asked for. It blocks."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._known: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        """Return the text without its secrets; nothing of it where they cannot be looked for."""
        if not text:
            return text
        known = self._known.get(text)
        if known is None:
            half = _TEXT_CHARS // 2
            ends = [text] if len(text) <= _TEXT_CHARS else [text[:half], text[-half:]]
            try:
                known = _GAP.join(map(self._redact, ends))
            except Exception:  # nothing gets through of a text whose secrets cannot be looked for
                known = REDACTION_FAILED
            self._known[text] = known
        return known

    def messages(self, messages: Sequence[Message]) -> list[Message]:
        """Return messages for an extract: of long histories the oldest have no text."""
        left = _EXTRACT_CHARS
        hidden = []
        for message in reversed(messages):
            text = self(message.text) if left > 0 else ""
            left -= len(message.text)
            hidden.append(replace(message, text=text, tool_calls=tuple(map(self._named, message.tool_calls)), raw={}))
        return hidden[::-1]

    def _named(self, call: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a tool call with its name alone: an extract holds no more of it."""
        inner = call.get("function", call)
        name = inner.get("name") if isinstance(inner, Mapping) else None
        return {"name": self(name) if isinstance(name, str) else ""}
