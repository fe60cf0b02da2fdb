"""Runs that are kept in a folder, so that a comparison that was interrupted goes on where it stopped."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.retrieval.datasets import LabelledSet


@dataclass(frozen=True, slots=True)
class KeptRuns:
    """The runs of one set in ``folder``, a file each. With ``is_resumed`` those that are whole are not made again."""

    folder: Path
    is_resumed: bool = False

    def run(self, label: str, labelled: LabelledSet, make: Callable[[Path], str | None]) -> tuple[Path, str]:
        """Return the file of a run, and what it ran with, if that is known.

        ``make`` writes the run to the file that it is given, and returns what it ran with. The file has its name only
        once it is written, so that an interruption leaves none that looks whole.
        """
        name = label.replace(",", "").replace(" ", "-")
        file, about = self.folder / f"{name}.jsonl", self.folder / f"{name}.versions"
        if not (self.is_resumed and file.exists() and _answers_all(file, labelled)):
            self.folder.mkdir(parents=True, exist_ok=True)
            unfinished = self.folder / f"{name}.unfinished"
            about.write_text(make(unfinished) or "", encoding="utf-8")
            unfinished.replace(file)
        return file, about.read_text(encoding="utf-8") if about.exists() else ""


def _answers_all(file: Path, labelled: LabelledSet) -> bool:
    """Return whether a run has each question of the set as it is now, and no document that it has not."""
    answers = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    documents = {document.id for document in labelled.documents}
    asked = {answer["query_id"] for answer in answers}
    return {question.id for question in labelled.questions} <= asked and all(
        documents.issuperset(answer["ranked"]) for answer in answers
    )
