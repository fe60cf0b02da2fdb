"""Which sessions and turns of nanobot memory has to do with, and what their messages say."""

from collections.abc import Mapping, Sequence
from typing import Any

from nanobot.runtime_context import RUNTIME_CONTEXT_HISTORY_META, public_history_message

from nanobot_memory_plugins.bridge.senders import sender_name
from nanobot_memory_plugins.core import Scope

# nanobot's own sessions: the nightly rewriting of its memory files.
_OWN = ("dream:",)
# Turns that nobody wrote: no recall, and nothing of them is kept unless `background_turns` is on.
_BACKGROUND = ("cron:", "heartbeat")
# nanobot's marks in a message or its metadata: a trigger of its own, no user's text.
_AUTOMATION_MARKS = ("_automation_turn", "_cron_trigger", "_local_trigger", "_cron_turn", "_hidden_history")
# Names under which nanobot writes itself, on whatever channel, and its marks in the metadata of such a message.
_NOBODY = frozenset({"subagent", "cron", "session", "session_timeout", "trigger", "runtime", "webui-settings"})
_NOBODYS_PREFIX = "system:"
_NOBODYS_MARKS = ("_session_message", "_internal_continuation", "injected_event")
# How nanobot marks a message that another session's model sent; a saved message bears no other mark of it.
_SENT_BY_SESSION = "session_message"
# The host runs a turn on a message again that it has stored before.
_REPEATED = "_skip_user_persist"

# What nanobot says in the user's name after a summary (SUMMARY_CONTINUATION_TEXT in 0.3.5). In a request it bears no
# mark.
_CONTINUATION = "Continue the active task from the working-memory checkpoint above."

# What nanobot saves in the place of an answer that never came.
_NO_ANSWER = "[Assistant reply unavailable due to model error.]"

# Messages of a session that are handed over, at most: earlier ones are in the transcript.
HISTORY_MESSAGES = 200


def is_own(session_key: str) -> bool:
    """Return whether a session is nanobot's own business, to be left alone."""
    return session_key.startswith(_OWN)


def is_background(session_key: str, metadata: Mapping[str, Any] | None = None) -> bool:
    """Return whether a turn was set off by a timer or a trigger rather than by a person."""
    if session_key.startswith(_BACKGROUND):
        return True
    return any(mark in (metadata or {}) for mark in _AUTOMATION_MARKS)


def is_for_people(session_key: str, metadata: Mapping[str, Any] | None = None) -> bool:
    """Return whether a turn is a person's: one that recall serves and that is remembered."""
    return bool(session_key) and not is_own(session_key) and not is_background(session_key, metadata)


def is_nobody(sender: str) -> bool:
    """Return whether a sender is nanobot itself."""
    return sender in _NOBODY or sender.startswith(_NOBODYS_PREFIX)


def is_said_by_person(sender: object, metadata: Mapping[str, Any] | None) -> bool:
    """Return whether a person wrote a message: no subagent, no timer, and no model of another session."""
    return not is_nobody(str(sender or "")) and not any(mark in (metadata or {}) for mark in _NOBODYS_MARKS)


def is_new_message(metadata: Mapping[str, Any] | None) -> bool:
    """Return whether a user's message is new, and no repetition of one that was stored before."""
    return (metadata or {}).get(_REPEATED) is not True


def is_private(session: object) -> bool:
    """Return whether nanobot itself keeps nothing of a session: a temporary chat."""
    policy = getattr(session, "policy", None)
    return getattr(policy, "persist", True) is False


def scope_of(session_key: str, *, channel: str | None = None, sender: str | None = None, group_chat: str = "") -> Scope:
    """Return the owner of a memory: the workspace is the agent, so that field stays empty.

    What a caller does not know is left to the memory, which knows the owner of a session.
    """
    channel = channel or ""
    return Scope(user=sender_name(channel, sender or ""), channel=channel, session=session_key, group_chat=group_chat)


def channel_in(session_key: str) -> str:
    """Return the channel that a session's key begins with; on the command line a session may have any name."""
    channel, colon, _ = session_key.partition(":")
    return channel if colon else "cli"


def public_messages(messages: Sequence[object], *, at_most: int | None = HISTORY_MESSAGES) -> list[dict[str, Any]]:
    """Return the last messages as people saw them.

    What was injected into a message, commands and their answers, and nanobot's hidden marks are left out. What
    another session's model sent is an assistant's, as nanobot has it for what a subagent reports.
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
    """Return the messages of a session that the model still sees: those after its last compaction."""
    messages = recorded_messages(session)
    start = getattr(session, "last_archived", 0)
    return messages[start:] if isinstance(start, int) else messages


def is_answer(message: Mapping[str, Any]) -> bool:
    """Return whether a message may be what the assistant said to the user, and nothing that nanobot put there."""
    content = message.get("content")
    return not (isinstance(content, str) and content.strip() == _NO_ANSWER) and not message.get("injected_event")


def earlier_messages(recorded: Sequence[object]) -> list[dict[str, Any]]:
    """Return the messages of people's turns, as they are kept when they come in.

    What nanobot put in the place of an answer, what others sent there, and the turns of its timers are left out.
    """
    people: list[object] = []
    timers = False
    for message in recorded:
        if isinstance(message, dict) and message.get("role") == "user" and not is_continuation(message):
            timers = is_background("", message)
        if not timers:
            people.append(message)
    return [message for message in public_messages(people, at_most=None) if is_answer(message)]


def is_continuation(message: Mapping[str, Any]) -> bool:
    """Return whether a message is nanobot's own "go on" after a summary: nobody said it."""
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
