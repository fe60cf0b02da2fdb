"""The tool ``off_record``, with which the model erases or stops recording what the user does not want kept."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.files.paths import session_file_name
from nanobot_memory_plugins.core.files.privacy_marks import BY_TOOL, BY_WORDS
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.transcript import last_records
from nanobot_memory_plugins.core.host.privacy import Privacy, Session
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.protocols import EntryAccess
from nanobot_memory_plugins.core.values import Erasure, Origin

_SCOPES = ("this_message", "last_message", "from_now_on", "resume")
_MAX_RECORDS = 200
_DAY = timedelta(days=1)


class OffRecordTool:
    """The tool itself; ``drain`` returns once all pending writes are done, ``erase`` whether everything is gone."""

    name = "off_record"
    destroys = True
    description = (
        "When the user wants something said here not to be kept. For what earlier conversations kept use forget."
    )
    parameters: Mapping[str, Any] = MappingProxyType(
        {"type": "object", "properties": {"scope": {"type": "string", "enum": list(_SCOPES)}}, "required": ["scope"]}
    )

    def __init__(
        self,
        privacy: Privacy,
        *,
        drain: Callable[[], Awaitable[None]],
        erase: Callable[[Erasure], Awaitable[bool]],
        entries: Callable[[], EntryAccess | None],
    ) -> None:
        self._privacy = privacy
        self._drain = drain
        self._erase = erase
        self._entries = entries

    async def run(self, arguments: Mapping[str, Any], *, session_key: str) -> str:
        """Erase the records of a scope, or pause or resume the memory; the answer says what was done."""
        scope, session = arguments.get("scope"), self._privacy.session(session_key)
        if scope not in _SCOPES:
            return f"Error: nothing was taken back. scope: it is one of {', '.join(_SCOPES)}"
        try:
            if scope == "resume":
                return await run_in_daemon_thread(self._resume, session_key, session)
            return await self._take_back(session_key, scope, session)
        except (MemoryFileError, OSError) as error:
            return f"Error: it could not be taken back. {error}"

    async def _take_back(self, session_key: str, scope: str, session: Session) -> str:
        was_kept, session.is_off_record = not session.is_off_record, session.is_off_record or scope != "last_message"
        await self._drain()  # the message may not be in the transcript yet
        ids = await run_in_daemon_thread(lambda: self._ids_to_erase(session_key, scope, session, was_kept=was_kept))
        now = self._privacy.clock.now()
        if scope == "from_now_on":
            await run_in_daemon_thread(self._privacy.file.pause, session_key, session.sender, BY_TOOL, now)
        # The mark comes first: if this is interrupted, the host's history does not bring the records back.
        await run_in_daemon_thread(self._privacy.file.mark, [session_file_name(session_key)], now)
        is_gone = not ids or await self._erase(Erasure(records=tuple(ids)))
        done = f"{len(ids)} records were taken out of the memory." if is_gone else "NOT all could be taken out yet."
        if scope == "from_now_on":
            done += " Nothing of this conversation is kept until the user wants it again."
        return f"{done} The host's own history still holds the words. Say that it is not kept; do not repeat it."

    def _ids_to_erase(self, session_key: str, scope: str, session: Session, *, was_kept: bool) -> list[str]:
        """Return the ids of the messages, notes and entries of the turn that a scope means.

        ``was_kept`` says whether the message of this turn is in the transcript.
        """
        is_before = scope == "last_message"
        start, end = (session.previous_turn_start, session.turn_start) if is_before else (session.turn_start, None)
        records = last_records(self._privacy.paths.transcript(session_key), session_key, _MAX_RECORDS)
        turns = [place for place, one in enumerate(records) if one.origin is Origin.USER]
        turns += [len(records)] if was_kept else [len(records), len(records)]
        turn = turns[-3:-1] if is_before else turns[-2:]
        if len(turn) < 2 or turn[0] == len(records):  # no message of the turn is in the transcript
            return self._ids_made(session_key, start, end)
        first, following = turn
        start = records[first].time
        end = records[following].time if following < len(records) else end
        return [*(one.id for one in records[first:following]), *self._ids_made(session_key, start, end)]

    def _ids_made(self, session_key: str, start: datetime | None, end: datetime | None) -> list[str]:
        """Return the ids of the notes and entries that any process made in a session from ``start`` to ``end``."""
        if start is None:
            return []
        start = start.replace(microsecond=0)  # the times of entries have no microseconds

        def is_included(session: str, time: datetime | None) -> bool:
            return session == session_key and time is not None and start <= time and (end is None or time <= end)

        since = (start - _DAY).date().isoformat()
        days = [path for path in self._privacy.paths.memory.glob("????-??-??.md") if path.stem >= since]
        notes = [part for path in days for part in parse_notes(read_regular(path)) if isinstance(part, NoteEntry)]
        access = self._entries()
        entries = access.entries().entries if access is not None else ()
        return [
            *(note.id for note in notes if is_included(note.scope.session, note.time)),
            # Entries with records are erased together with their messages.
            *(one.id for one in entries if not one.records and is_included(one.source_session, one.created_at)),
        ]

    def _resume(self, session_key: str, session: Session) -> str:
        by = self._privacy.file.read().pause_of(session_key, session.sender)
        if by == BY_WORDS:
            return 'Not resumed: the user paused the memory with "memory pause", and ends that with "memory resume".'
        if not by:
            return "The memory is not paused. What is said in this turn stays off the record if it was."
        self._privacy.file.resume(session_key, session.sender)
        session.is_off_record = False
        return "The memory is on again. Say so."
