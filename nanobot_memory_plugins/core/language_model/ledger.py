"""What the language model was used for: one line of JSON a use, in one file a day, kept across restarts."""

import json
import os
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

from nanobot_memory_plugins.core.files.private import private_folder
from nanobot_memory_plugins.core.files.reading import open_regular, read_regular
from nanobot_memory_plugins.core.log import logger

ANSWERED = "answered"
# Uses ended by whoever waited for them: neither a success nor the model's failure.
CANCELLED = "cancelled"

_HOUR = timedelta(hours=1)
# Uses of the last hour that are looked back on, at most.
_RECENT = 1_000


@dataclass(frozen=True, slots=True)
class Usage:
    """One use. Tokens are estimated; ``outcome`` is ``answered`` or the type of the error.

    ``prompt`` is a fingerprint of what was asked, so that repetitions are seen.
    """

    time: str
    plugin: str
    purpose: str
    prompt_tokens: int
    answer_tokens: int
    seconds: float
    outcome: str
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class _Recent:
    time: datetime
    purpose: str
    prompt: str
    outcome: str


class UsageLedger:
    """The uses of every day, below one folder.

    Files are named by the day in UTC. Another process's uses are seen at the next reading, because each
    reading goes on from where the last one stopped.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._day: date | None = None
        self._offset = 0
        self._tokens: dict[str, int] = {}
        self._recent: deque[_Recent] = deque(maxlen=_RECENT)

    def record(self, usage: Usage, day: date) -> None:
        """Append one use with a single write; a full or read-only disk is logged and costs the record only."""
        line = json.dumps(asdict(usage), ensure_ascii=False) + "\n"
        try:
            private_folder(self._folder)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
            descriptor = os.open(self._file(day), flags, 0o600)
            try:
                os.write(descriptor, line.encode())
            finally:
                os.close(descriptor)
        except OSError as error:
            logger.warning("the use of the language model could not be recorded: {}", type(error).__name__)

    def tokens(self, purpose: str, day: date) -> int:
        """Return the tokens that ``purpose`` has used on ``day``, prompts and answers together."""
        self._read(day)
        return self._tokens.get(purpose, 0)

    def repeats(self, prompt: str, now: datetime) -> int:
        """Return how often a prompt was sent within the hour before ``now``."""
        self._read(now.date())
        return sum(1 for one in self._recent if one.prompt == prompt and one.time > now - _HOUR)

    def failures(self, purpose: str, now: datetime) -> tuple[int, float]:
        """Return how often ``purpose`` failed in a row within the last hour, and the seconds since the last time."""
        self._read(now.date())
        count, last = 0, now
        for one in reversed(self._recent):
            if one.purpose != purpose or one.outcome == CANCELLED:
                continue
            if one.outcome == ANSWERED or one.time <= now - _HOUR:
                break
            last = last if count else one.time
            count += 1
        return count, (now - last).total_seconds()

    def _read(self, day: date) -> None:
        """Read what has come since the last time."""
        if day != self._day:
            # The last hour may have begun yesterday: what was read of it stays, or is read now.
            if self._day is None:
                self._day = day - timedelta(days=1)
                self._read(self._day)
            self._day, self._offset, self._tokens = day, 0, {}
        try:
            with open_regular(self._file(day)) as file:
                file.seek(self._offset)
                data = file.read()
        except OSError:
            return
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        for usage in _usages(whole, day):
            purpose = usage.purpose
            self._tokens[purpose] = self._tokens.get(purpose, 0) + usage.prompt_tokens + usage.answer_tokens
            self._recent.append(_Recent(_time(usage.time), purpose, usage.prompt, usage.outcome))

    def _file(self, day: date) -> Path:
        return self._folder / f"{day.isoformat()}.jsonl"


def uses(folder: Path, *, since: date) -> Iterator[tuple[date, Usage]]:
    """Yield the recorded uses from a day on, oldest day first, with their day.

    Raises `OSError` when a file cannot be read; a missing folder has no uses.
    """
    for file in sorted(folder.glob("????-??-??.jsonl")):
        try:
            day = date.fromisoformat(file.stem)
        except ValueError:
            continue
        if day >= since:
            yield from ((day, usage) for usage in _usages(read_regular(file), day))


def _usages(data: bytes, day: date) -> Iterator[Usage]:
    for line in data.splitlines():
        try:
            row = json.loads(line)
            yield Usage(
                time=datetime.fromisoformat(row.get("time") or day.isoformat()).isoformat(),
                plugin=str(row.get("plugin", "")),
                purpose=str(row["purpose"]),
                prompt_tokens=int(row["prompt_tokens"]),
                answer_tokens=int(row["answer_tokens"]),
                seconds=float(row.get("seconds", 0.0)),
                outcome=str(row.get("outcome", ANSWERED)),
                prompt=str(row.get("prompt", "")),
            )
        except (ValueError, KeyError, TypeError, AttributeError):
            logger.warning("a line of the usage file of {} cannot be read and is passed over", day)


def _time(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    return time if time.tzinfo is not None else time.astimezone()
