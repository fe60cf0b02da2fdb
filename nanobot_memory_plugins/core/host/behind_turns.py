"""What is done behind the turn: plugins hear that it is over, and the language model reads the session once for all."""

from collections.abc import Mapping, Sequence
from typing import Any

from nanobot_memory_plugins.core.host.hook_calls import HookCalls, of_conversation, values_of
from nanobot_memory_plugins.core.host.live_history import LiveMessages
from nanobot_memory_plugins.core.host.privacy import Privacy
from nanobot_memory_plugins.core.host.recorder import TurnRecorder, combined_receipt
from nanobot_memory_plugins.core.host.said_before import SaidBefore
from nanobot_memory_plugins.core.session_reading.part import ReadingRequest
from nanobot_memory_plugins.core.session_reading.reader import SessionReader
from nanobot_memory_plugins.core.values import Message, Note, Receipt, Scope


class BehindTurns:
    """Follows the turns of one workspace."""

    def __init__(
        self, reader: SessionReader, hooks: HookCalls, capture: TurnRecorder, said: SaidBefore, privacy: Privacy
    ) -> None:
        self.reader = reader
        self._hooks = hooks
        self._capture = capture
        self._said = said
        self._privacy = privacy

    async def read(
        self, session_key: str, scope: Scope, reason: str, told: Receipt, given: Sequence[Message]
    ) -> Receipt:
        """Read a session once all that was said in it is written; return what was ``told`` with the notes of that."""
        await self._capture.drain()
        readable = await self._privacy.readable(session_key, tuple(given))
        notes = await self.reader.read(session_key, scope, reason, given=readable)
        return combined_receipt((*told.notes, *notes)) if notes else told

    async def follow(self, arguments: Mapping[str, Any], scope: Scope, limit: float) -> Receipt:
        """Tell the plugins that a turn is over, and read its session where one of them asks for that."""
        session_key = str(arguments["session_key"])
        live = LiveMessages(arguments["messages"], await self._said.unspoken(session_key))
        arguments = {**arguments, "messages": live}
        accept = (Note, ReadingRequest)
        answers = await self._hooks.answers("on_turn_finished", arguments, accept=accept, limit=limit, scope=scope)
        told = await self._hooks.keep_notes(answers, scope=of_conversation(scope))
        return await self.read(session_key, scope, "turn", told, live) if values_of(answers, ReadingRequest) else told
