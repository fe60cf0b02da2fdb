"""The recorded answers, one JSON object per line."""

import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError


class RecordedAnswer(BaseModel):
    """One answer with its score. ``tokens`` is the estimated size of the question's context."""

    model_config = ConfigDict(frozen=True)

    question: str
    condition: str
    instruction: str
    tokens: int
    answer: str
    expected: str
    score: float
    seconds: float


def read_answers_file(file: Path, instruction: str) -> dict[tuple[str, str], RecordedAnswer]:
    """Return the answers in a file by question and condition.

    Incomplete lines and answers to another instruction are left out. A missing file has none.
    """
    if not file.exists():
        return {}
    given: dict[tuple[str, str], RecordedAnswer] = {}
    for line in file.read_bytes().splitlines():
        try:
            record = RecordedAnswer.model_validate_json(line)
        except ValidationError:
            continue
        if record.instruction == instruction:
            given[record.question, record.condition] = record
    return given


def append_answer(file: Path, record: BaseModel) -> None:
    """Append an answer to a file, on a new line even if the last write was cut off."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab+") as lines:
        if lines.tell():
            lines.seek(-1, os.SEEK_END)
            if lines.read(1) != b"\n":
                lines.write(b"\n")
        lines.write(record.model_dump_json().encode() + b"\n")
