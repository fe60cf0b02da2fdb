"""Turns that are over, as plugins are told of them: how full the context is, and what stands in it."""

from collections.abc import Mapping, Sequence
from typing import Any, overload

from nanobot_memory_plugins.bridge.sessions import live_messages, public_messages
from nanobot_memory_plugins.core.host.live_history import tokens_of
from nanobot_memory_plugins.core.host.turn import Turn


class PublicMessages(Sequence[dict[str, Any]]):
    """The live messages of a session as people saw them, made when they are first looked at: mostly they are not."""

    def __init__(self, messages: Sequence[object]) -> None:
        self._messages = messages
        self._made: list[dict[str, Any]] | None = None

    def _public(self) -> list[dict[str, Any]]:
        if self._made is None:
            self._made = public_messages(self._messages, at_most=None)
        return self._made

    def __len__(self) -> int:
        return len(self._public())

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        return self._public()[index]


def finish_turn(loop: Any, turn: Turn, session: Any) -> None:
    """Tell the memory, in the background, that a turn of a session is over and saved. Returns at once."""
    turn.finished(
        PublicMessages(live_messages(session)),
        context_window=int(getattr(loop, "context_window_tokens", 0) or 0),
        context_tokens=context_tokens(session),
    )


def context_tokens(session: Any) -> int | None:
    """Return what the last request of a session held, with its answer, as nanobot counted it; None when it did not."""
    metadata = getattr(session, "metadata", None)
    usage = metadata.get("_last_usage") if isinstance(metadata, Mapping) else None
    asked = usage.get("context_tokens") if isinstance(usage, Mapping) else None
    if not isinstance(asked, int) or isinstance(asked, bool) or asked <= 0:
        return None
    last = session.messages[-1] if session.messages else {}
    return asked + tokens_of(last)
