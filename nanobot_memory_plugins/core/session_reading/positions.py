"""How far each session has been read: by field of the answer the id of the last message, and how often was asked.

One file a workspace, ``memory/.entries/readings.json``, without a word of what was said. A process that ends while it
waits for an answer leaves the count behind; the next one asks once more, and then goes on.
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from typing import Any, TypeVar

from filelock import Timeout

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.files import (
    MemoryPaths,
    private_folder,
    private_lock,
    read_regular,
    read_time,
    replace_file,
)
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.values import Scope

_T = TypeVar("_T")

MOST_ASKED = 2
"""Times that the same messages are asked about where no answer comes."""

_SESSIONS = 1_000
_LOCK_SECONDS = 5.0
# After this a process that said that it reads a session has ended, or has given up.
_BUSY = timedelta(seconds=300)


@dataclass(frozen=True, slots=True)
class Position:
    """How far a session has been read: ``read`` gives the last message's id by field.

    ``asked`` counts questions about what came since that were not answered, ``busy`` is when a process began to ask,
    and ``scope`` is whose the session is.
    """

    read: Mapping[str, str] = field(default_factory=dict)
    asked: int = 0
    busy: str = ""
    scope: Mapping[str, str] = field(default_factory=dict)


class Positions:
    """The positions of one workspace. Everything here blocks: call it in a thread."""

    def __init__(self, paths: MemoryPaths, clock: Clock) -> None:
        self._memory = paths.memory
        self._file = paths.memory / ".entries" / "readings.json"
        self._clock = clock

    def of(self, session_key: str) -> Position:
        """Return how far a session has been read."""
        return _position(self._load().get(session_key))

    def waiting(self) -> list[tuple[str, Scope]]:
        """Return the sessions about which was asked without an answer, longest first."""
        known = {key: _position(row) for key, row in self._load().items()}
        return [(key, Scope(**one.scope)) for key, one in known.items() if one.asked]

    def begin(self, session_key: str, scope: Scope, read: Mapping[str, str]) -> bool:
        """Note that a session is asked about now; return False while another process asks, and where one has asked.

        ``read`` gives by field the last message that had been read when it was looked what is new.
        """
        now = self._clock.now()

        def change(rows: dict[str, Any]) -> bool:
            position = _position(rows.pop(session_key, None))  # the newest stand last
            since = read_time(position.busy)
            is_free = since is None or not timedelta() <= now - since < _BUSY
            is_free = is_free and all(position.read.get(name, "") == id_ for name, id_ in read.items())
            if is_free:
                whose = {name: value for name, value in asdict(scope).items() if value}
                position = replace(position, asked=position.asked + 1, busy=now.isoformat(), scope=whose)
            rows[session_key] = _row(position)
            return is_free

        return self._change(change, failed=False)

    def finish(self, session_key: str, fields: Collection[str], read: str) -> None:
        """Note that a session has been read up to a message, for these fields of the answer."""

        def change(rows: dict[str, Any]) -> None:
            position = _position(rows.get(session_key))
            rows[session_key] = _row(Position({**position.read, **dict.fromkeys(fields, read)}, scope=position.scope))

        self._change(change, failed=None)

    def leave(self, session_key: str, *, counts: bool) -> bool:
        """Note that no answer came, and return whether the messages have had their chances.

        It does not count where nothing could be asked after all.
        """

        def change(rows: dict[str, Any]) -> bool:
            position = _position(rows.get(session_key))
            position = replace(position, busy="", asked=position.asked if counts else max(1, position.asked - 1))
            rows[session_key] = _row(position)
            return counts and position.asked >= MOST_ASKED

        return self._change(change, failed=False)

    def _change(self, change: Callable[[dict[str, Any]], _T], *, failed: _T) -> _T:
        try:
            private_folder(self._file.parent, below=self._memory)
            with private_lock(self._file.with_suffix(".lock"), timeout=_LOCK_SECONDS):
                rows = self._load()
                result = change(rows)
                newest = dict(list(rows.items())[-_SESSIONS:])
                replace_file(self._file, json.dumps(newest).encode("ascii"))
                return result
        except (OSError, Timeout) as error:
            logger.warning("it cannot be written down how far a session was read: {}", type(error).__name__)
            return failed

    def _load(self) -> dict[str, Any]:
        try:
            rows = json.loads(read_regular(self._file))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            logger.warning("it cannot be read how far sessions were read: {}", type(error).__name__)
            return {}
        return rows if isinstance(rows, dict) else {}


def _position(row: object) -> Position:
    if not isinstance(row, dict):
        return Position()
    asked = row.get("asked")
    return Position(
        _texts(row.get("read")),
        asked if isinstance(asked, int) else 0,
        str(row.get("busy") or ""),
        _texts(row.get("scope")),
    )


def _texts(value: object) -> dict[str, str]:
    return {str(name): str(text) for name, text in value.items()} if isinstance(value, dict) else {}


def _row(position: Position) -> dict[str, Any]:
    return {name: value for name, value in asdict(position).items() if value}
