"""The folder of files that the benchmark exchanges with a system in a separate environment.

``set.json`` names the set and its language; ``docs.jsonl`` and ``queries.jsonl`` hold ``id``, ``group`` and ``text``
per line; ``docs.npy`` and ``queries.npy`` their vectors, one row per line, float32 of unit length. The system writes
``run.jsonl`` and ``versions.json``. Both environments import this module, which needs only numpy.
"""

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

RANKED = 60
"""Ids a question at most: the scorer reads no more."""

Vectors = np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True, slots=True)
class Entry:
    """A document or a question."""

    id: str
    group: str
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A system's result for one question: ids, best first, and the ids that it would inject."""

    query_id: str
    ranked: Sequence[str]
    injected: Sequence[str]


@dataclass(frozen=True, slots=True)
class Task:
    """One set to index and to search. Row *n* of the vectors belongs to entry *n*."""

    name: str
    language: str
    documents: Sequence[Entry]
    questions: Sequence[Entry]
    document_vectors: Vectors
    question_vectors: Vectors

    def vector_of(self) -> dict[str, list[float]]:
        """Return the vector of every text, for systems that take a custom embedder."""
        pairs = [*zip(self.documents, self.document_vectors, strict=True)]
        pairs += zip(self.questions, self.question_vectors, strict=True)
        return {entry.text: vector.tolist() for entry, vector in pairs}

    def groups(self) -> dict[str, "Task"]:
        """Return the separate task of each group, since a question is searched only in its group."""
        names = dict.fromkeys(entry.group for entry in self.documents)
        return {name: self._of_group(name) for name in names}

    def _of_group(self, group: str) -> "Task":
        documents = [place for place, entry in enumerate(self.documents) if entry.group == group]
        questions = [place for place, entry in enumerate(self.questions) if entry.group == group]
        return Task(
            self.name,
            self.language,
            [self.documents[place] for place in documents],
            [self.questions[place] for place in questions],
            self.document_vectors[documents],
            self.question_vectors[questions],
        )


def write_task(task: Task, folder: Path) -> None:
    """Write a task into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "set.json").write_text(json.dumps({"name": task.name, "language": task.language}), encoding="utf-8")
    for name, entries, vectors in (
        ("docs", task.documents, task.document_vectors),
        ("queries", task.questions, task.question_vectors),
    ):
        lines = "".join(json.dumps(asdict(entry), ensure_ascii=False) + "\n" for entry in entries)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
        np.save(folder / f"{name}.npy", vectors)


def read_task(folder: Path) -> Task:
    """Read a task. Raises OSError if it is missing."""
    about = json.loads((folder / "set.json").read_text(encoding="utf-8"))
    return Task(
        about["name"],
        about["language"],
        _entries(folder / "docs.jsonl"),
        _entries(folder / "queries.jsonl"),
        np.load(folder / "docs.npy"),
        np.load(folder / "queries.npy"),
    )


def write_answers(file: Path, answers: Iterable[Answer]) -> None:
    """Write a run in the scorer's format."""
    with file.open("w", encoding="utf-8") as lines:
        for answer in answers:
            row = {
                "query_id": answer.query_id,
                "ranked": list(answer.ranked)[:RANKED],
                "injected": list(answer.injected),
            }
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")


def serve(packages: Sequence[str], answers_of: Callable[[Task, Path], Iterable[Answer]]) -> None:
    """Run as the system: read the task in the folder of the command line, and write the run and the versions.

    ``answers_of`` gets the task of one group and an empty folder for its store, once per group.
    """
    folder = Path(sys.argv[1])
    run: list[Answer] = []
    for number, task in enumerate(read_task(folder).groups().values()):
        place = folder / "stores" / str(number)
        place.mkdir(parents=True)
        run.extend(answers_of(task, place))
    write_answers(folder / "run.jsonl", run)
    versions = {package: metadata.version(package) for package in packages}
    (folder / "versions.json").write_text(json.dumps(versions), encoding="utf-8")
    sys.stdout.flush()
    os._exit(0)  # some systems leave threads and servers that would block the exit


def read_versions(folder: Path) -> Mapping[str, str]:
    """Return the versions of the system."""
    versions: dict[str, str] = json.loads((folder / "versions.json").read_text(encoding="utf-8"))
    return versions


def _entries(file: Path) -> list[Entry]:
    return [Entry(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]
