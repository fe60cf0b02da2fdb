"""Classifies nanobot's sessions, turns and messages, and returns the messages that the memory may see."""

from collections.abc import Mapping, Sequence
from typing import Any

from nanobot.runtime_context import RUNTIME_CONTEXT_HISTORY_META, public_history_message

from nanobot_memory_plugins.bridge.senders import sender_name
from nanobot_memory_plugins.core import Scope

# Session keys of nanobot's own jobs: Dream, which rewrites its memory files.
_INTERNAL_PREFIXES = ("dream:",)
# Turns that a timer started: there is no recall, and nothing is kept unless `background_turns` is on.
_BACKGROUND_PREFIXES = ("cron:", "heartbeat")
# Marks in a message or its metadata: one of nanobot's triggers wrote the text, not a user.
_AUTOMATION_MARKS = ("_automation_turn", "_cron_trigger", "_local_trigger", "_cron_turn", "_hidden_history")
# Sender names that nanobot itself uses on any channel, and the marks in the metadata of such a message.
_NANOBOT_SENDERS = frozenset({"subagent", "cron", "session", "session_timeout", "trigger", "runtime", "webui-settings"})
_NANOBOT_SENDER_PREFIX = "system:"
_GENERATED_MARKS = ("_session_message", "_internal_continuation", "injected_event")
# The source of a message that another session's model sent: the only mark of it in a saved message.
_SENT_BY_SESSION = "session_message"
# The mark of a turn that nanobot runs again on a message that it has already stored.
_REPEATED_MARK = "_skip_user_persist"

# The message that nanobot adds in the user's name after a summary (SUMMARY_CONTINUATION_TEXT in 0.3.5). It is not
# marked in a request.
_CONTINUATION = "Continue the active task from the working-memory checkpoint above."

# The text that nanobot saves in place of a missing answer.
_NO_ANSWER = "[Assistant reply unavailable due to model error.]"

# How many of a session's last messages are handed over; the earlier ones are in the transcript.
MAX_HISTORY_MESSAGES = 200


def is_internal_session(session_key: str) -> bool:
    """Return whether a session belongs to a job of nanobot's own, which the memory leaves alone."""
    return session_key.startswith(_INTERNAL_PREFIXES)


def is_background(session_key: str, metadata: Mapping[str, Any] | None = None) -> bool:
    """Return whether a timer or a trigger started a turn, rather than a person."""
    if session_key.startswith(_BACKGROUND_PREFIXES):
        return True
    return any(mark in (metadata or {}) for mark in _AUTOMATION_MARKS)


def is_user_turn(session_key: str, metadata: Mapping[str, Any] | None = None) -> bool:
    """Return whether a turn is a user's: it gets recall and is remembered."""
    return bool(session_key) and not is_internal_session(session_key) and not is_background(session_key, metadata)


def is_nanobot_sender(sender: str) -> bool:
    """Return whether a sender is nanobot itself."""
    return sender in _NANOBOT_SENDERS or sender.startswith(_NANOBOT_SENDER_PREFIX)


def is_from_person(sender: object, metadata: Mapping[str, Any] | None) -> bool:
    """Return whether a person wrote a message, rather than a subagent, a timer or another session's model."""
    return not is_nanobot_sender(str(sender or "")) and not any(mark in (metadata or {}) for mark in _GENERATED_MARKS)


def is_new_message(metadata: Mapping[str, Any] | None) -> bool:
    """Return whether a user's message is new, not one that was stored before and runs again."""
    return (metadata or {}).get(_REPEATED_MARK) is not True


def is_temporary(session: object) -> bool:
    """Return whether a session is a temporary chat, which nanobot does not save."""
    policy = getattr(session, "policy", None)
    return getattr(policy, "persist", True) is False


def scope_of(session_key: str, *, channel: str | None = None, sender: str | None = None, group_chat: str = "") -> Scope:
    """Return the scope of a memory. The agent field stays empty, since a workspace belongs to one agent.

    The memory fills in what the caller does not know from the session's owner.
    """
    channel = channel or ""
    return Scope(user=sender_name(channel, sender or ""), channel=channel, session=session_key, group_chat=group_chat)


def channel_of_key(session_key: str) -> str:
    """Return the channel at the start of a session key; a key without one is from the command line."""
    channel, colon, _ = session_key.partition(":")
    return channel if colon else "cli"


def public_messages(messages: Sequence[object], *, at_most: int | None = MAX_HISTORY_MESSAGES) -> list[dict[str, Any]]:
    """Return the last messages as people saw them.

    Injected context, commands and their answers, and hidden messages are left out. A message from another session's
    model gets the role of an assistant, as nanobot does with a subagent's report.
    """
    return [
        _public(message)
        for message in (messages if at_most is None else messages[-at_most:])
        if isinstance(message, Mapping)
        and not message.get("_command")
        and not _is_hidden(message)
        and not is_continuation(message)
    ]


def recorded_messages(session: object) -> list[object]:
    """Return all messages that nanobot has of a session."""
    return list(getattr(session, "messages", ()))


def live_messages(session: object) -> list[object]:
    """Return the messages of a session that the model still sees: the ones after its last compaction."""
    messages = recorded_messages(session)
    start = getattr(session, "last_archived", 0)
    return messages[start:] if isinstance(start, int) else messages


def is_answer(message: Mapping[str, Any]) -> bool:
    """Return whether a message may be the assistant's answer, rather than a text that nanobot put in its place."""
    content = message.get("content")
    return not (isinstance(content, str) and content.strip() == _NO_ANSWER) and not message.get("injected_event")


def earlier_messages(recorded: Sequence[object]) -> list[dict[str, Any]]:
    """Return the messages of users' turns in a session's record.

    Placeholders for missing answers, messages of other sessions, and background turns are left out.
    """
    user_turns: list[object] = []
    is_in_background = False
    for message in recorded:
        if isinstance(message, dict) and message.get("role") == "user" and not is_continuation(message):
            is_in_background = is_background("", message)
        if not is_in_background:
            user_turns.append(message)
    return [message for message in public_messages(user_turns, at_most=None) if is_answer(message)]


def is_continuation(message: Mapping[str, Any]) -> bool:
    """Return whether a message is the "continue" that nanobot adds after a summary."""
    content = message.get("content")
    return isinstance(content, str) and content.strip() == _CONTINUATION


def _public(message: Mapping[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = public_history_message(message)
    runtime_context = message.get(RUNTIME_CONTEXT_HISTORY_META)
    sources = runtime_context.get("sources") if isinstance(runtime_context, Mapping) else None
    if isinstance(sources, Sequence) and _SENT_BY_SESSION in sources:
        return {**shown, "role": "assistant", "injected_event": _SENT_BY_SESSION}
    return shown


def _is_hidden(message: Mapping[str, Any]) -> bool:
    return any(message.get(mark) for mark in _AUTOMATION_MARKS)
