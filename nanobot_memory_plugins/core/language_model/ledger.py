"""What the language model was used for: one line of JSON a use, in one file a day, kept across restarts."""

import json
import os
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

from loguru import logger


@dataclass(frozen=True, slots=True)
class Usage:
    """One use. Tokens are estimated; ``outcome`` is ``answered`` or the type of the error."""

    time: str
    plugin: str
    purpose: str
    prompt_tokens: int
    answer_tokens: int
    seconds: float
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

    def record(self, usage: Usage, day: date) -> None:
        """Append one use with a single write; a full or read-only disk is logged and costs the record only."""
        line = json.dumps(asdict(usage), ensure_ascii=False) + "\n"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
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
        if day != self._day:
            self._day, self._offset, self._tokens = day, 0, {}
        try:
            with self._file(day).open("rb") as file:
                file.seek(self._offset)
                data = file.read()
        except OSError:
            return self._tokens.get(purpose, 0)
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        for line in whole.splitlines():
            self._count(line)
        return self._tokens.get(purpose, 0)

    def _count(self, line: bytes) -> None:
        try:
            row = json.loads(line)
            used = int(row["prompt_tokens"]) + int(row["answer_tokens"])
            self._tokens[row["purpose"]] = self._tokens.get(row["purpose"], 0) + used
        except (ValueError, KeyError, TypeError):
            logger.warning("a line of the usage file of {} cannot be read and is passed over", self._day)

    def _file(self, day: date) -> Path:
        return self._folder / f"{day.isoformat()}.jsonl"
