"""What was injected into each turn, and what the whole memory would have cost there: one line of JSON a turn.

It holds ids and counts, and nothing of what was said. One file a day, below ``memory/.usage/recall``.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from pathlib import Path

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.files.daily_rows import append_row, lines_since
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import open_regular
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.text.tokens import estimate_tokens

# What of a file is read to estimate its tokens; a longer one is estimated by its beginning.
_READ_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class Injection:
    """One turn. ``tokens`` are those of the injected block, ``whole_tokens`` those of the memory's Markdown then.

    ``tool_tokens`` are those of the tools that the model was offered, ``entry_tokens`` those of the entries in the
    prompt: what one request held besides. All are estimates. ``ids`` are the memories in the block.
    """

    time: str
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
        self._memory = MemoryPaths.of(workspace).memory
        self._clock = clock
        self._tokens: dict[str, tuple[int, int, int]] = {}

    def record(self, ids: Sequence[str], tokens: int, tool_tokens: int = 0, entry_tokens: int = 0) -> None:
        """Append one turn with a single write; a full or read-only disk costs the record only."""
        now = self._clock.now()
        try:
            row = Injection(now.isoformat(), tuple(ids), tokens, self._whole(), tool_tokens, entry_tokens)
            append_row(recall_folder(self._memory), now.date(), asdict(row), below=self._memory)
        except OSError as error:
            logger.debug("what was recalled could not be recorded: {}", type(error).__name__)

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


def recall_folder(memory: Path) -> Path:
    """Return where the records are, below the memory folder."""
    return memory / ".usage" / "recall"


def injections(folder: Path, *, since: date) -> Iterator[tuple[date, Injection]]:
    """Yield the recorded turns from a day on, oldest day first, with their day.

    Raises `OSError` when a file cannot be read; a missing folder has none. Lines that cannot be read are passed over.
    """
    for day, line in lines_since(folder, since):
        row = _row(line)
        if row is not None:
            yield day, row


def _row(line: bytes) -> Injection | None:
    try:
        row = json.loads(line)
        ids = row["ids"]
        return Injection(
            time=datetime.fromisoformat(row["time"]).isoformat(),
            ids=tuple(str(one) for one in ids) if isinstance(ids, list) else (),
            tokens=max(0, int(row["tokens"])),
            whole_tokens=max(0, int(row["whole_tokens"])),
            tool_tokens=max(0, int(row.get("tool_tokens", 0))),
            entry_tokens=max(0, int(row.get("entry_tokens", 0))),
        )
    except (ValueError, KeyError, TypeError, OverflowError):
        return None


def _tokens_of(path: Path, size: int) -> int:
    with open_regular(path) as file:
        data = file.read(_READ_BYTES)
    tokens = estimate_tokens(data.decode("utf-8", errors="replace"))
    return tokens if size <= len(data) or not data else tokens * size // len(data)
