"""The answers that are there already: one line of JSON each, written as they come."""

import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError


class Given(BaseModel):
    """One answer, and how good it is. ``tokens`` is the estimated size of what stood beside the question."""

    model_config = ConfigDict(frozen=True)

    question: str
    condition: str
    instruction: str
    tokens: int
    answer: str
    expected: str
    score: float
    seconds: float


def read_given(file: Path, instruction: str) -> dict[tuple[str, str], Given]:
    """Return the answers in a file by question and condition.

    Lines that are not whole, and answers to another instruction, are left out. A file that is not there holds none.
    """
    if not file.exists():
        return {}
    given: dict[tuple[str, str], Given] = {}
    for line in file.read_bytes().splitlines():
        try:
            record = Given.model_validate_json(line)
        except ValidationError:
            continue
        if record.instruction == instruction:
            given[record.question, record.condition] = record
    return given


def append_given(file: Path, record: BaseModel) -> None:
    """Write one answer to the end of a file, on a line of its own even if the last write was cut off."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab+") as lines:
        if lines.tell():
            lines.seek(-1, os.SEEK_END)
            if lines.read(1) != b"\n":
                lines.write(b"\n")
        lines.write(record.model_dump_json().encode() + b"\n")
