"""How much room nanobot's window has for what replaces compacted history, by nanobot's own count of tokens."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from nanobot_memory_plugins.core import Message, estimate_tokens

# nanobot's headroom for its count (SNIP_SAFETY_BUFFER and Consolidator._SAFETY_BUFFER in 0.3.5).
_SAFETY_TOKENS = 1_024
# What replaces history takes half of what is free: the other half is for the conversation to go on.
_SHARE = 0.5
# Of a history so many characters are counted both ways, to compare the two counts.
_SAMPLE_CHARS = 20_000
# Indented lines and headings cost this much more than the messages themselves.
_LAYOUT = 1.1
# The function of nanobot's that asks for a summary of what a request cannot hold, and its name for the rest of it.
_COMPACTING = ("_compact_request_history", "delta_messages")


@dataclass(frozen=True, slots=True)
class Room:
    """``tokens`` by nanobot's count, ``estimated`` by the memory's; ``window`` is the model's."""

    window: int
    tokens: int
    estimated: int
    provider: Any
    model: str

    def fits(self, text: str) -> bool:
        """Return whether nanobot would count a text as small enough."""
        return _count(self.provider, self.model, [{"role": "system", "content": text}]) <= self.tokens


def room_in_request(
    loop: Any,
    runtime: Any,
    accepted: Sequence[Mapping[str, Any]],
    waiting: Sequence[Mapping[str, Any]] | None,
    earlier: str | None,
    tools: Any,
) -> Room:
    """Return the room in a request that no longer fits.

    What else it holds is its system prompt without the ``earlier`` summary, the tools, and the ``waiting`` messages,
    which come after those to be summarised. When they are not known, the room is what nanobot would allow itself.
    """
    fixed = [_without(message, earlier) for message in accepted if message.get("role") == "system"]
    window, answer, provider, model = _measures(loop, runtime)
    free = window - answer - _SAFETY_TOKENS - _count(provider, model, [*fixed, *(waiting or [])], tools)
    tokens = int(free * _SHARE)
    if waiting is None:
        tokens = min(tokens, answer)
    return _room(window, tokens, provider, model, accepted)


def room_in_session(loop: Any, runtime: Any, session: Any) -> Room:
    """Return the room in a session's next request: all but the prompt of an empty session."""
    window, answer, provider, model = _measures(loop, runtime)
    try:
        empty = type(session)(key=session.key)
        fixed, _ = loop.consolidator.estimate_session_prompt_tokens(empty, runtime=runtime)
        tokens = int((window - answer - _SAFETY_TOKENS - fixed) * _SHARE)
    except Exception:
        tokens = answer  # another version of the host: what it would allow a summary of its own
    return _room(window, tokens, provider, model, session.messages)


def _measures(loop: Any, runtime: Any) -> tuple[int, int, Any, str]:
    """Return the window, the longest answer, the provider and the model."""
    window = int(getattr(runtime, "context_window_tokens", 0) or loop.context_window_tokens)
    answer = int(getattr(getattr(runtime, "generation", None), "max_tokens", 0) or 0)
    provider = getattr(runtime, "provider", None) or loop.provider
    return window, answer, provider, str(getattr(runtime, "model", None) or loop.model)


def _room(window: int, tokens: int, provider: Any, model: str, messages: Sequence[Any]) -> Room:
    tokens = max(1, tokens)
    sample = "\n".join(Message.from_chat(message).text[:2_000] for message in messages[-40:])[:_SAMPLE_CHARS]
    estimated = estimate_tokens(sample)
    counted = _count(provider, model, [{"role": "user", "content": sample}]) if estimated else 0
    ratio = max(1.0, counted / estimated if estimated else 1.0) * _LAYOUT
    return Room(window, tokens, max(1, int(tokens / ratio)), provider, model)


def _count(provider: Any, model: str, messages: Sequence[Mapping[str, Any]], tools: Any = None) -> int:
    from nanobot.utils.helpers import estimate_prompt_tokens_chain

    counted, _source = estimate_prompt_tokens_chain(provider, model, [dict(message) for message in messages], tools)
    return int(counted)


def _without(message: Mapping[str, Any], earlier: str | None) -> dict[str, Any]:
    content = message.get("content")
    if earlier and isinstance(content, str):
        return {**message, "content": content.replace(earlier, "")}
    return dict(message)


def waiting_messages() -> list[dict[str, Any]] | None:
    """Return the messages of the request that come after those to be summarised.

    nanobot does not hand them over. They are in the function that awaits the caller; None where there is none.
    """
    name, local = _COMPACTING
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == name:
            waiting = frame.f_locals.get(local)
            return waiting if isinstance(waiting, list) else None
        frame = frame.f_back
    return None
