"""Claude Code's own record of a session: JSON lines, of which some are messages.

Its form is nobody's promise: a line that is not understood is passed over, a file that cannot be read holds nothing.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core import logger

# Of a longer file its end is read.
_MOST_BYTES = 8 << 20
# What the host writes in the user's place: notices, which its model answers, and commands with what they print.
_NOTICES = (
    "<task-notification",
    "<teammate-message",
    "<cross-session-message",
    "<agent-message",
    "<coordinator-task",
    "<artifact-room-event",
    "<skill-watcher-",
    "<channel source=",
    "<system-reminder",
    "<tick>",
)
_PRINTED = ("<command-", "<local-command-", "<bash-", "[Request interrupted by user")
# Marks of lines that are no message of the conversation.
_NOT_SAID = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly", "repeatsCompactSummary")
_MADE_UP = "<synthetic>"
# What a line says of turns that no person began.
_BY_ITSELF = ("scheduled", "task_notification", "auto_continuation", "peer", "host_synthetic", "system")


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a file holds: ``messages``, of which those from ``live_from`` on are in the live context.

    ``parent`` is the session that this one was forked off, or empty.
    """

    messages: Sequence[Mapping[str, Any]] = ()
    live_from: int = 0
    parent: str = ""

    @property
    def live(self) -> Sequence[Mapping[str, Any]]:
        """The messages since the last compaction."""
        return self.messages[self.live_from :]

    def before(self, prompt: str) -> "Recorded":
        """Return it without a prompt that was written down before its hook was asked."""
        if self.messages and self.messages[-1]["role"] == "user" and self.messages[-1]["content"] == prompt:
            return Recorded(self.messages[:-1], self.live_from, self.parent)
        return self


def is_notice(text: str) -> bool:
    """Return whether a message in the user's role comes from the host."""
    return text.lstrip().startswith(_NOTICES)


def read_transcript(path: str) -> Recorded:
    """Return the messages of a session's file in the form of Anthropic's API, with their times."""
    if not path:
        return Recorded()
    messages: list[dict[str, Any]] = []
    live_from, parent = 0, ""
    try:
        for line in _lines(Path(path)):
            parent = parent or _other_session(line)
            if line.get("subtype") == "compact_boundary":
                live_from = len(messages)
            elif (message := said_in(line)) is not None:
                _add(messages, {**message, "timestamp": line.get("timestamp")}, of_live=len(messages) > live_from)
    except OSError as error:
        logger.debug("the host's record of a session cannot be read: {}", type(error).__name__)
    return Recorded(messages, live_from, parent)


def _other_session(line: Mapping[str, Any]) -> str:
    """Return the session that a line was copied from, or nothing."""
    session = line.get("requestSessionId")
    return session if isinstance(session, str) and session != line.get("sessionId") else ""


def _add(messages: list[dict[str, Any]], message: dict[str, Any], *, of_live: bool) -> None:
    """Add a message, to the one before it where both are parts of one answer: each part has a line."""
    last = messages[-1] if messages and of_live else {}
    before, more = last.get("content"), message["content"]
    is_part = bool(message.get("id")) and last.get("id") == message["id"]
    if is_part and isinstance(before, list) and isinstance(more, list):
        last["content"] = [*before, *more]
    else:
        messages.append(message)


def said_in(line: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the message that a line holds, in the form of Anthropic's API, or None for all others."""
    if line.get("type") == "attachment":
        return _context(line.get("attachment"))
    message = line.get("message")
    if line.get("type") not in ("user", "assistant") or not isinstance(message, Mapping):
        return None
    if any(line.get(mark) is True for mark in _NOT_SAID) or message.get("model") == _MADE_UP:
        return None
    role, content = line["type"], message.get("content")
    text = _first_text(content)
    if role == "user" and text.lstrip().startswith(_PRINTED):
        return None
    by_itself = line.get("promptSource") == "system" or line.get("turnOrigin") in _BY_ITSELF
    is_hosts = role == "user" and (is_notice(text) or by_itself)
    return {"role": role, "content": content, "id": message.get("id"), **({"spoken": False} if is_hosts else {})}


def _context(attachment: object) -> dict[str, Any] | None:
    """Return what hooks have added to a prompt: the model still sees it."""
    if not isinstance(attachment, Mapping) or attachment.get("type") != "hook_additional_context":
        return None
    content = attachment.get("content")
    texts = content if isinstance(content, list) else [content]
    return {"role": "system", "content": "\n".join(text for text in texts if isinstance(text, str))}


def _first_text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return next((str(part.get("text") or "") for part in parts if isinstance(part, Mapping) and "text" in part), "")


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _MOST_BYTES))
        if size > _MOST_BYTES:
            file.readline()  # which is cut
        for raw in file:
            try:
                line: object = json.loads(raw)
            except (ValueError, RecursionError):
                continue
            if isinstance(line, Mapping):
                yield line
