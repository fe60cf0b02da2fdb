"""The events of OpenClaw's transcripts, the same in its JSON lines and in its database."""

import re
from typing import Any

from nanobot_memory_plugins.core.transfer.formats.reading import time_of
from nanobot_memory_plugins.core.transfer.importer import ImportedMessage, Skipped
from nanobot_memory_plugins.core.values import Message, Origin, Scope

_ORIGINS = {"user": Origin.USER, "assistant": Origin.ASSISTANT, "toolResult": Origin.TOOL, "tool": Origin.TOOL}
_SPEECH = frozenset({"text", "input_text", "output_text"})
# What OpenClaw writes in front of a user's words, which they did not say: blocks that tell who sent the message.
_CONTEXT = re.compile(
    r"^[^\n]{1,200}(?:⟦openclaw:ctx⟧|\(untrusted[^\n)]{0,60}\):)[ \t]*\n```json\n(?:(?!```)[^\n]*\n)*+```[ \t]*$\n*",
    re.MULTILINE,
)
_STAMP = re.compile(r"\A\s*\[(?:[A-Z][a-z]{2} )?\d{4}-\d{2}-\d{2} \d{2}:\d{2}[^\]\n]{0,12}\] *")
# What an agent says to say nothing.
_SILENT = frozenset({"NO_REPLY", "HEARTBEAT_OK"})


def message_of(event: dict[str, Any], session_key: str, file: str, line: int) -> ImportedMessage | Skipped | None:
    """Return the message of an event, why it is left, or None for an event that nobody said."""
    if event.get("type") != "message":
        return None
    message = event.get("message")
    if not isinstance(message, dict):
        return Skipped("its message cannot be read", file, line)
    role = message.get("role")
    if not isinstance(role, str) or role not in _ORIGINS:
        return Skipped("nobody said it: it is no message of user, assistant or tool", file, line)
    text = _spoken(message.get("content"))
    if role == "user":
        text = _STAMP.sub("", _CONTEXT.sub("", text)).strip()
    if not text.strip():
        return Skipped("it has no text", file, line)
    if text.strip() in _SILENT:
        return Skipped("the agent said nothing with it", file, line)
    is_tool = _ORIGINS[role] is Origin.TOOL
    return ImportedMessage(
        session_key,
        "tool" if is_tool else role,
        text,
        _ORIGINS[role],
        file,
        line,
        time=time_of(event.get("timestamp")) or time_of(message.get("timestamp")),
        name=str(message.get("toolName") or message.get("name") or "") if is_tool else "",
        scope=Scope(channel="openclaw"),
    )


def _spoken(content: object) -> str:
    """Return what was said: no thinking, no calls of tools."""
    if isinstance(content, list):
        content = [part for part in content if not isinstance(part, dict) or part.get("type") in _SPEECH]
    return Message.from_chat({"role": "user", "content": content}).text
