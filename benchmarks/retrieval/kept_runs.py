"""Runs that are kept in a folder, so that an interrupted comparison can continue."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.retrieval.datasets import LabelledSet


@dataclass(frozen=True, slots=True)
class KeptRuns:
    """The runs of one set in ``folder``, one file each. With ``is_resumed``, complete runs are not repeated."""

    folder: Path
    is_resumed: bool = False

    def run(self, label: str, labelled: LabelledSet, make: Callable[[Path], str | None]) -> tuple[Path, str]:
        """Return the file of a run, and its versions if they are known.

        ``make`` writes the run to the given file, and returns its versions. The file gets its name only when it is
        complete, so that an interruption leaves no file that looks complete.
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
    """Return whether a run has every current question of the set, and no unknown document."""
    answers = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    documents = {document.id for document in labelled.documents}
    asked = {answer["query_id"] for answer in answers}
    return {question.id for question in labelled.questions} <= asked and all(
        documents.issuperset(answer["ranked"]) for answer in answers
    )
