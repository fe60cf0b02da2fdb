"""What was said in a session, so that the model's quotations can be looked up: the transcript, and what came since."""

from nanobot_memory_plugins.core import Clock, Origin, Scope
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, last_records
from nanobot_memory_plugins.core.session_reading.quotes import Quotations
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

_SESSIONS, _HEARD, _RECORDS = 200, 20, 400


class SaidInSession:
    """Remembers the last messages of each session in memory, for where no transcript is kept."""

    def __init__(self, paths: MemoryPaths, clock: Clock) -> None:
        self._paths = paths
        self._clock = clock
        self._heard: BoundedDict[str, list[TranscriptRecord]] = BoundedDict(_SESSIONS)

    def hear(self, session_key: str, text: str, scope: Scope) -> None:
        """Learn that a user has said something now."""
        said = TranscriptRecord("user", text, session_key, scope, Origin.USER, time=self._clock.now())
        self._heard[session_key] = [*self._heard.get(session_key, ()), said][-_HEARD:]

    def quotations(self, session_key: str) -> Quotations:
        """Return what may be quoted of a session. It blocks."""
        heard = self._heard.get(session_key, [])
        try:
            recorded = last_records(self._paths.transcript(session_key), session_key, _RECORDS)
        except OSError:
            recorded = []
        return Quotations([*heard, *recorded])
