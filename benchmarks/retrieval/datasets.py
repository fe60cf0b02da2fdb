"""The labelled sets: folders with ``docs.jsonl`` and ``queries.jsonl``, next to a ``score.py`` that scores a run.

They are not part of the project, but expected in ``$NANOBOT_MEMORY_SHARED/bench``, or in ``../shared/bench`` next to
the checkout.
"""

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

SHARED = Path(os.environ.get("NANOBOT_MEMORY_SHARED") or Path(__file__).parents[3] / "shared")
BENCH = SHARED / "bench"
WHERE = (
    "They are not part of the project: $NANOBOT_MEMORY_SHARED/bench or ../shared/bench beside the checkout is looked "
    "into, and with --bench another folder. `retrieval --bench tests/data` measures the sample in the project."
)
SETS = ("locomo_turns", "locomo_facts", "membank_zh", "cmrc_zh", "precisionmem", "assistant_chats")
CHINESE = frozenset({"membank_zh", "cmrc_zh"})
LEFT_OUT = "adversarial"
"""The category of questions whose answer was never said: there is nothing to find."""


class LabelledDocument(BaseModel):
    """A line of ``docs.jsonl``. Only questions of the same ``group`` find it, which is one person's store.

    ``parent`` is the long message that it is a piece of, if there is one.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    parent: str = ""
    group: str
    session: str
    order: int
    ts: datetime | None = None
    role: str
    speaker: str = ""
    text: str

    @property
    def line(self) -> str:
        """The document as every system gets it, with its date and speaker, which questions mention."""
        date = f"[{self.ts:%Y-%m-%d}] " if self.ts else ""
        speaker = f"{self.speaker}: " if self.speaker else ""
        return f"{date}{speaker}{self.text}"


class Question(BaseModel):
    """A line of ``queries.jsonl``. ``gold`` are the ids of the documents with the evidence, or of their parents."""

    model_config = ConfigDict(frozen=True)

    id: str
    group: str
    text: str
    category: str
    answer: str = ""
    gold: tuple[str, ...]
    ts: str | None = None

    @property
    def asked_at(self) -> datetime | None:
        """The time of the question, or None when the set has none."""
        return datetime.fromisoformat(self.ts) if self.ts and self.ts != "now" else None


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """One labelled set."""

    folder: Path
    documents: tuple[LabelledDocument, ...]
    questions: tuple[Question, ...]

    @property
    def name(self) -> str:
        """The name of the set's folder."""
        return self.folder.name

    @property
    def language(self) -> str:
        """``zh`` or ``en``, for systems that need it."""
        return "zh" if self.name in CHINESE else "en"

    def groups(self) -> dict[str, list[LabelledDocument]]:
        """Return the documents of each group in order."""
        groups: dict[str, list[LabelledDocument]] = {}
        for document in self.documents:
            groups.setdefault(document.group, []).append(document)
        return groups


def read_set(folder: Path) -> LabelledSet:
    """Read a set, without questions that have no answer. Raises OSError, and ValueError for a malformed line."""
    documents = (folder / "docs.jsonl").read_text(encoding="utf-8").splitlines()
    questions = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    read = (Question.model_validate_json(line) for line in questions if line.strip())
    return LabelledSet(
        folder,
        tuple(LabelledDocument.model_validate_json(line) for line in documents if line.strip()),
        tuple(question for question in read if question.category != LEFT_OUT),
    )
