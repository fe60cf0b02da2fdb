"""The memory of one person's agent over four months, and thirty questions that she asks it: tests/data/typical."""

import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core import estimate_tokens, language_of
from tests.behaviour.kit.life import Life
from tests.behaviour.kit.waiting import until

DATA = Path(__file__).parents[2] / "data" / "typical"
UNSURE = {"en": "I'm not sure, I don't remember that.", "zh": "我不确定，没有记录。"}
# Where the person lives: days begin and end there. Written out, so that no time zone database is needed.
_TIME_ZONE = "PST8PDT,M3.2.0,M11.1.0"
_BETWEEN_MESSAGES = timedelta(seconds=40)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the quotations of which one is enough to answer it."""

    id: str
    text: str
    evidence: tuple[str, ...]

    def is_answered_by(self, block: str | None) -> bool:
        """Say whether one of the quotations stands in the block, however its lines are broken."""
        return any(quotation in one_line(block or "") for quotation in self.evidence)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a question brought at first, and after an unsure draft where that was not enough."""

    question: Question
    block: str
    second: str = ""

    @property
    def first(self) -> bool:
        """Whether the first block answers."""
        return self.question.is_answered_by(self.block)

    @property
    def in_the_end(self) -> bool:
        """Whether either block answers."""
        return self.first or self.question.is_answered_by(self.second)


def one_line(text: str) -> str:
    """Return a text with its white space as single spaces."""
    return re.sub(r"\s+", " ", text)


def questions() -> list[Question]:
    """Return the thirty questions."""
    return [Question(one["id"], one["text"], tuple(one["evidence"])) for one in _read()["questions"]]


def said() -> dict[str, list[dict[str, Any]]]:
    """Return the records of each transcript, by its name."""
    found = {}
    for file in sorted((DATA / "sessions").glob("*.json")):
        told = json.loads(file.read_text(encoding="utf-8"))
        start = datetime.fromisoformat(told["start"])
        found[file.stem] = [
            {
                "id": f"{file.stem}-{place:02}",
                "time": (start + place * _BETWEEN_MESSAGES).isoformat(),
                "role": role,
                "text": text,
                "origin": role,
                "session": told["session"],
            }
            for place, (role, text) in enumerate(told["messages"])
        ]
    return found


def live_through(life: Life) -> None:
    """Write the memory as an agent's workspace holds it, and set the clock to when the questions are asked."""
    shutil.copytree(DATA / "memory", life.memory)
    (life.memory / "sessions").mkdir()
    for name, records in said().items():
        lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records)
        (life.memory / "sessions" / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    life.clock.set(datetime.fromisoformat(_read()["now"]))


def tokens_of_notes(life: Life) -> int:
    """Return the tokens of the Markdown files alone, which leaves out the larger part of the memory."""
    return sum(estimate_tokens(file.read_text(encoding="utf-8")) for file in life.memory.glob("*.md"))


async def ask_all(life: Life, *, vectors: bool = False) -> list[Outcome]:
    """Ask each question in a session of its own; the answers are kept in no transcript that a later one could find."""
    found = []
    async with life.host(core={"keepTranscripts": False}) as memory:
        await memory.flush_index()
        if vectors:
            await until(lambda: memory.store.status().vectors > 250 and not memory.store.status().pending_vectors)
        for one in questions():
            session = f"ask:{one.id}"
            block = (await memory.message_received(session_key=session, text=one.text)).block or ""
            second = None
            if not one.is_answered_by(block):
                draft = UNSURE[language_of(one.text)]
                second = await memory.review_draft(session_key=session, text=one.text, draft=draft)
            found.append(Outcome(one, block, second or ""))
    return found


@contextmanager
def at_home() -> Iterator[None]:
    """Set the machine's clock to the zone of the person whose memory it is."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = _TIME_ZONE
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()


def _read() -> dict[str, Any]:
    read: dict[str, Any] = json.loads((DATA / "questions.json").read_text(encoding="utf-8"))
    return read
