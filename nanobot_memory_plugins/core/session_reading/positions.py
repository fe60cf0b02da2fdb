"""How far each session has been read: by field of the answer the id of the last message, and how often was asked.

Rows of the state database, without a word of what was said. A process that ends while it waits for an answer leaves
the count behind; the next one asks once more, and then goes on.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from typing import Any

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.files.fields import read_time
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.values import Scope

MOST_ASKED = 2
"""Times that the same messages are asked about where no answer comes."""

_TASK = "reading"
_SESSIONS = 1_000
# After this a process that said that it reads a session has ended, or has given up.
_BUSY = timedelta(seconds=300)


@dataclass(frozen=True, slots=True)
class Position:
    """How far a session has been read: ``read`` gives the last message's id by field.

    ``asked`` counts questions about what came since that were not answered, ``busy`` is when a process began to ask,
    ``expected`` says that it is to be read and was not looked at yet, and ``scope`` is the owner of the session.
    """

    read: Mapping[str, str] = field(default_factory=dict)
    asked: int = 0
    busy: str = ""
    scope: Mapping[str, str] = field(default_factory=dict)
    expected: bool = False


class Positions:
    """The positions of one workspace. Everything here blocks: call it in a thread."""

    def __init__(self, paths: MemoryPaths, clock: Clock) -> None:
        self._state = StateDatabase.of(paths)
        self._clock = clock

    def of(self, session_key: str) -> Position:
        """Return how far a session has been read."""
        try:
            return _position(self._state.task(_TASK, session_key))
        except StoreError as error:
            logger.warning("it cannot be read how far a session was read: {}", error.cause)
            return Position()

    def waiting(self) -> list[tuple[str, Scope]]:
        """Return the sessions that were to be read, or about which was asked without an answer, longest first."""
        known = ((key, _position(row)) for key, row in self._state.tasks(_TASK))
        return [(key, Scope(**one.scope)) for key, one in known if one.asked or one.expected]

    def expect(self, session_key: str, scope: Scope) -> None:
        """Note that a session is to be read, so that the next process does it where this one ends before."""
        self._change(session_key, lambda position: replace(position, expected=True, scope=_named(scope)))

    def settle(self, session_key: str) -> None:
        """Note that a session that was to be read was looked at, and nobody asks about it."""
        self._change(session_key, lambda position: replace(position, expected=False) if position.expected else None)

    def begin(self, session_key: str, scope: Scope, read: Mapping[str, str]) -> bool:
        """Note that a session is asked about now; return False while another process asks, and where one has asked.

        ``read`` gives by field the last message that had been read when it was looked what is new.
        """
        now = self._clock.now()

        def change(position: Position) -> Position | None:
            since = read_time(position.busy)
            is_busy = since is not None and timedelta() <= now - since < _BUSY
            if is_busy or any(position.read.get(name, "") != id_ for name, id_ in read.items()):
                return None
            return Position(position.read, position.asked + 1, now.isoformat(), _named(scope))

        return self._change(session_key, change) is not None

    def finish(self, session_key: str, fields: Collection[str], read: str) -> None:
        """Note that a session has been read up to a message, for these fields of the answer."""
        new = dict.fromkeys(fields, read)
        self._change(session_key, lambda position: Position({**position.read, **new}, scope=position.scope))
        try:
            self._state.keep_newest_tasks(_TASK, _SESSIONS)
        except StoreError as error:
            logger.debug("old positions stay: {}", error.cause)

    def leave(self, session_key: str, *, counts: bool) -> bool:
        """Note that no answer came, and return whether the messages have had their chances.

        It does not count where nothing could be asked after all.
        """
        taken = 0 if counts else 1
        left = self._change(
            session_key, lambda position: replace(position, busy="", asked=position.asked - taken, expected=True)
        )
        return counts and left is not None and left.asked >= MOST_ASKED

    def _change(self, session_key: str, change: Callable[[Position], Position | None]) -> Position | None:
        """Change a position, and return it as it is now; None where nothing was changed, or could be."""

        def transaction(_connection: object) -> Position | None:
            changed = change(_position(self._state.task(_TASK, session_key)))
            if changed is not None:
                self._state.set_task(_TASK, session_key, asdict(changed))
            return changed

        try:
            return self._state.write(transaction)
        except StoreError as error:
            logger.warning("it cannot be written down how far a session was read: {}", error.cause)
            return None


def _named(scope: Scope) -> dict[str, str]:
    return {name: value for name, value in asdict(scope).items() if value}


def _position(row: Mapping[str, Any] | None) -> Position:
    return Position(**row) if row else Position()
