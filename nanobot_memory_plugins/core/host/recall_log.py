"""What was injected into each turn, and what the whole memory would have cost there: one line of JSON a turn.

It holds ids and counts, and nothing of what was said. One file a day, below ``memory/.usage/recall``.
"""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from pathlib import Path

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.private import private_folder
from nanobot_memory_plugins.core.files.reading import open_regular, read_regular
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.text.tokens import estimate_tokens

# What of a file is read to estimate its tokens; a longer one is estimated by its beginning.
_READ_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class Injection:
    """One turn. ``tokens`` are those of the injected block, ``whole_tokens`` those of the memory's Markdown then.

    Both are estimates. ``ids`` are the memories in the block.
    """

    time: str
    ids: tuple[str, ...]
    tokens: int
    whole_tokens: int


class RecallLedger:
    """Records turns. It blocks for as long as the disk takes, and belongs to one thread at a time.

    The whole memory is its Markdown (long-term memory, entries, day notes), without the transcripts: what a host would
    show that shows all of it. A file is read again when it has changed.
    """

    def __init__(self, workspace: str | Path, clock: Clock) -> None:
        self._memory = MemoryPaths.of(workspace).memory
        self._clock = clock
        self._tokens: dict[str, tuple[int, int, int]] = {}

    def record(self, ids: Sequence[str], tokens: int) -> None:
        """Append one turn with a single write; a full or read-only disk costs the record only."""
        now = self._clock.now()
        folder = recall_folder(self._memory)
        try:
            row = Injection(now.isoformat(), tuple(ids), tokens, self._whole())
            private_folder(folder, below=self._memory)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
            descriptor = os.open(folder / f"{now.date().isoformat()}.jsonl", flags, 0o600)
            try:
                os.write(descriptor, (json.dumps(asdict(row)) + "\n").encode())
            finally:
                os.close(descriptor)
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
    for file in sorted(folder.glob("????-??-??.jsonl")):
        try:
            day = date.fromisoformat(file.stem)
        except ValueError:
            continue
        if day >= since:
            for line in read_regular(file).splitlines():
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
        )
    except (ValueError, KeyError, TypeError, OverflowError):
        return None


def _tokens_of(path: Path, size: int) -> int:
    with open_regular(path) as file:
        data = file.read(_READ_BYTES)
    tokens = estimate_tokens(data.decode("utf-8", errors="replace"))
    return tokens if size <= len(data) or not data else tokens * size // len(data)
