"""Contents and events of Google's Agent Development Kit as chat messages."""

from collections.abc import Iterable
from typing import Any

Message = dict[str, Any]


def text_of(content: Any) -> str:
    """Return what was said in a content: no thoughts, pictures, calls or results."""
    parts = getattr(content, "parts", None) or ()
    return "\n".join(part.text for part in parts if part.text and not part.thought)


def said_in(event: Any) -> str:
    """Return what was said in an event: its text, or what was heard of a voice once it has ended."""
    heard = event.input_transcription if event.author == "user" else event.output_transcription
    return text_of(event.content) or (heard.text or "" if heard and heard.finished else "")


def messages_of(content: Any, timestamp: float | None = None) -> list[Message]:
    """Return a content as chat messages: what was said and called, and one for each result of a tool."""
    parts = getattr(content, "parts", None) or ()
    role = "assistant" if getattr(content, "role", None) == "model" else "user"
    when = {} if timestamp is None else {"timestamp": timestamp}
    calls = [_call(part.function_call) for part in parts if part.function_call]
    made: list[Message] = []
    if (text := text_of(content)) or calls:
        called = {"tool_calls": calls, "role": "assistant"} if calls else {"role": role}
        made.append({**when, "content": text, **called})
    for part in parts:
        if (result := part.function_response) is not None:
            id_ = result.id or result.name
            made.append(
                {**when, "role": "tool", "tool_call_id": id_, "name": result.name, "content": str(result.response)}
            )
    return made


def plain(content: Any) -> Message:
    """Return one message for a content, as a request has it: by it the user's is known again."""
    said = messages_of(content)
    return said[0] if said else {"role": "assistant", "content": ""}


def live_events(events: Iterable[Any]) -> list[Any]:
    """Return the events that stand in the live context: without those that a summary stands for, and with that."""
    events = [event for event in events if not event.partial]
    ranges = [(one.start_timestamp, one.end_timestamp) for event in events if (one := _compaction(event))]
    return [
        event
        for event in events
        if _compaction(event) or not any(start <= event.timestamp <= end for start, end in ranges)
    ]


def live_messages(events: Iterable[Any]) -> list[Message]:
    """Return what stands in the live context as chat messages."""
    return [message for event in live_events(events) for message in event_messages(event)]


def event_messages(event: Any) -> list[Message]:
    """Return an event as chat messages; that of a compaction is the summary."""
    compaction = _compaction(event)
    content = compaction.compacted_content if compaction else event.content
    return messages_of(content, event.timestamp)


def _compaction(event: Any) -> Any:
    return event.actions.compaction if event.actions else None


def _call(call: Any) -> Message:
    named = {"name": call.name, "arguments": dict(call.args or {})}
    return {"id": call.id or call.name, "type": "function", "function": named}
