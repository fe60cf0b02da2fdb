"""Forgetting in a running host: what goes to the plugins and comes from them, without what was forgotten for good."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.erasure.fingerprints import Fingerprints
from nanobot_memory_plugins.core.erasure.history_filter import HistoryFilter
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.host.live_history import LiveMessages
from nanobot_memory_plugins.core.host.plugins.plugin_host import PluginAnswer
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
from nanobot_memory_plugins.core.values import Message, Note, Summary

_T = TypeVar("_T")

# Arguments of hooks that are histories, and those that a model or a tool has made.
_HISTORIES = ("history", "messages")
_MADE = ("draft", "arguments", "result", "error")


class LiveForgetting:
    """The filter of one host, off its event loop. While nothing was forgotten each call is one look at a file."""

    def __init__(self, workspace: Path, *, clock: Clock, redact: Callable[[str], str]) -> None:
        fingerprints = Fingerprints(MemoryPaths.of(workspace))
        self._filter = HistoryFilter(fingerprints, clock=clock, redact=redact)
        self._warned = ""

    async def received(self, session: str, text: str, history: Sequence[Message]) -> tuple[Message, ...]:
        """Learn what the user says, and return the history before it without what was forgotten."""

        def look() -> tuple[Message, ...]:
            self._filter.messages(session, history)
            self._filter.said(session, text)
            return self._filter.messages(session, history)

        shown = await self._run(look, (), tuple(history))
        self._filter.hear(session, "user", text)
        return shown

    async def messages(self, session: str, messages: Sequence[object]) -> list[Mapping[str, Any]]:
        """Return a host's chat messages without what was forgotten, for a host that writes them down elsewhere.

        There are as many, and none where that cannot be told.
        """
        whole = tuple(map(Message.from_chat, messages))
        key = redact_key(session)
        shown = await self._run(lambda: self._filter.messages(key, whole), (), whole)
        return [one.raw for one in shown]

    async def sent(self, session: str, text: str) -> str:
        """Return an answer of the model without what was forgotten."""
        left = await self._run(lambda: self._filter.sent(session, text), text, text)
        self._filter.hear(session, "assistant", left)
        return left

    async def arguments(self, session: str, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the arguments of a hook without what was forgotten; None where that cannot be told of a history."""

        def shown() -> dict[str, Any] | None:
            changed = dict(arguments)
            for name in _HISTORIES:
                if name in changed:
                    left = self._filter.messages(session, changed[name])
                    changed[name] = left if isinstance(changed[name], tuple) else LiveMessages(left)
            for name in _MADE:
                if name in changed:
                    changed[name] = self._filter.value(session, changed[name])
            return changed

        has_history = any(arguments.get(name) for name in _HISTORIES)
        return await self._run(shown, None if has_history else dict(arguments), dict(arguments))

    async def answers(
        self, session: str, arguments: Mapping[str, Any], answers: Sequence[PluginAnswer]
    ) -> list[PluginAnswer]:
        """Return the answers of plugins without what was forgotten, in the meantime perhaps."""

        def left() -> list[PluginAnswer]:
            for name in _HISTORIES:
                self._filter.messages(session, arguments.get(name) or ())
            return [replace(one, values=self._left(session, one.values)) for one in answers]

        holds_text = any(isinstance(value, (Note, Summary)) for one in answers for value in one.values)
        done = await self._run(left, list(answers), list(answers)) if holds_text else list(answers)
        if arguments.get("ended"):
            self._filter.end(session)
        return done

    async def notes(self, session: str, notes: Sequence[Note]) -> list[Note]:
        """Return notes without what was forgotten; one that said nothing else is left out."""
        return await self._run(lambda: self._filter.notes(session, notes), list(notes), list(notes))

    async def holds(self, session: str, value: object) -> bool:
        """Return whether what a model hands over holds what was forgotten."""
        return await self._run(lambda: self._filter.value(session, value) is not value, False, False)

    def _left(self, session: str, values: Sequence[object]) -> tuple[object, ...]:
        left: list[object] = []
        for value in values:
            if isinstance(value, Note):
                left += self._filter.notes(session, [value])
            elif isinstance(value, Summary):
                left.append(replace(value, text=self._filter.text(session, value.text)))
            else:
                left.append(value)
        return tuple(left)

    async def _run(self, work: Callable[[], _T], closed: _T, untouched: _T) -> _T:
        """Return what the work in a thread returns, ``closed`` where what was forgotten cannot be told."""
        if not self._filter.is_needed():
            return untouched
        try:
            return await run_in_daemon_thread(work)
        except MemoryFileError as error:
            if self._warned != str(error):
                self._warned = str(error)
                logger.warning("Memory: {}", error)
            return closed
