"""What was injected into each turn, and what the whole memory would have cost there: ids and counts of each turn.

Nothing of what was said is in it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from pathlib import Path

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import open_regular
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.text.tokens import estimate_tokens

_KIND = "recall"
# What of a file is read to estimate its tokens; a longer one is estimated by its beginning.
_READ_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class Injection:
    """One turn. ``tokens`` are those of the injected block, ``whole_tokens`` those of the memory's Markdown then.

    ``tool_tokens`` are those of the tools that the model was offered, ``entry_tokens`` those of the entries in the
    prompt: what one request held besides. All are estimates. ``ids`` are the memories in the block.
    """

    time: datetime
    ids: tuple[str, ...]
    tokens: int
    whole_tokens: int
    tool_tokens: int = 0
    entry_tokens: int = 0


class RecallLedger:
    """Records turns. It blocks for as long as the disk takes, and belongs to one thread at a time.

    The whole memory is its Markdown (long-term memory, entries, day notes), without the transcripts: what a host would
    show that shows all of it. A file is read again when it has changed.
    """

    def __init__(self, workspace: str | Path, clock: Clock) -> None:
        paths = MemoryPaths.of(workspace)
        self._memory = paths.memory
        self._state = StateDatabase.of(paths)
        self._clock = clock
        self._tokens: dict[str, tuple[int, int, int]] = {}

    def record(self, ids: Sequence[str], tokens: int, tool_tokens: int = 0, entry_tokens: int = 0) -> None:
        """Add one turn; a state database that is locked costs the record only."""
        turn = Injection(self._clock.now(), tuple(ids), tokens, self._whole(), tool_tokens, entry_tokens)
        try:
            self._state.add_event(_KIND, turn.time, {k: v for k, v in asdict(turn).items() if k != "time"})
        except StoreError as error:
            logger.debug("what was recalled could not be recorded: {}", error.cause)

    def _whole(self) -> int:
        found: dict[str, tuple[int, int, int]] = {}
        for path in self._memory.glob("*.md"):
            try:
                status = path.stat()
                known = self._tokens.get(path.name)
                if known is None or known[:2] != (status.st_size, status.st_mtime_ns):
                    known = (status.st_size, status.st_mtime_ns, _tokens_of(path, status.st_size))
            except OSError:
                continue
            found[path.name] = known
        self._tokens = found
        return sum(tokens for *_, tokens in found.values())


def injections(state: StateDatabase, *, since: date) -> Iterator[Injection]:
    """Yield the recorded turns from a day (UTC) on, oldest first. Raises `StoreError`."""
    for time, body in state.events(_KIND, since=since):
        yield Injection(time=time, **{**body, "ids": tuple(body["ids"])})


def _tokens_of(path: Path, size: int) -> int:
    with open_regular(path) as file:
        data = file.read(_READ_BYTES)
    tokens = estimate_tokens(data.decode("utf-8", errors="replace"))
    return tokens if size <= len(data) or not data else tokens * size // len(data)
