"""What Claude Code tells through its hooks, as it comes in the arguments of a tool: every value is a text."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from nanobot_memory_plugins.core import InputError

USER_PROMPT, TOOL_USED, TOOL_FAILED = "UserPromptSubmit", "PostToolUse", "PostToolUseFailure"
BEFORE_COMPACTION, STOPPED = "PreCompact", "Stop"


def _text(value: object) -> str:
    """Return a value as text."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


Text = Annotated[str, BeforeValidator(_text)]


class HookEvent(BaseModel):
    """One event. What an event does not have is empty."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    event: Text
    session_id: Text
    secret: Text = ""
    transcript_path: Text = ""
    cwd: Text = ""
    agent_id: Text = ""
    prompt: Text = ""
    tool_name: Text = ""
    tool_input: Text = ""
    tool_response: Text = ""
    tool_use_id: Text = ""
    duration_ms: Text = ""
    error: Text = ""
    last_assistant_message: Text = ""
    trigger: Text = ""

    @property
    def milliseconds(self) -> float:
        """How long the tool ran; 0 where that is not told."""
        try:
            return max(0.0, float(self.duration_ms))
        except ValueError:
            return 0.0


# The fields that each event has beside those that all have, by their names in the host's input.
COMMON = ("session_id", "transcript_path", "cwd")
FIELDS: Mapping[str, tuple[str, ...]] = {
    USER_PROMPT: ("prompt", "agent_id"),
    TOOL_USED: ("tool_name", "tool_input", "tool_response", "tool_use_id", "duration_ms"),
    TOOL_FAILED: ("tool_name", "tool_input", "error", "tool_use_id", "duration_ms"),
    BEFORE_COMPACTION: ("trigger",),
    STOPPED: ("last_assistant_message",),
}


def read_event(arguments: Mapping[str, Any]) -> HookEvent:
    """Return the event that arguments tell of. Raises `InputError` where they tell of none."""
    try:
        event = HookEvent.model_validate(dict(arguments))
    except ValidationError as error:
        raise InputError("This is no event of a hook.", hint="Only the hooks of the plugin call this.") from error
    if event.event not in FIELDS or not event.session_id:
        raise InputError("This is no event of a hook.", hint="Only the hooks of the plugin call this.")
    return event


def tool_result(response: str) -> object:
    """Return what a tool gave back: the text that it printed or answered where it has one, else its value."""
    try:
        value: object = json.loads(response)
    except (ValueError, RecursionError):
        return response
    if not isinstance(value, Mapping):
        return _joined(value) or value
    printed = [str(value[name]) for name in ("stdout", "stderr") if value.get(name)]
    if "stdout" in value:
        return "\n".join(printed)
    return _joined(value.get("content")) or value


def _joined(parts: object) -> str:
    """Return the texts of content blocks, or nothing."""
    blocks = parts if isinstance(parts, list) else []
    return "\n".join(str(one["text"]) for one in blocks if isinstance(one, Mapping) and one.get("type") == "text")
