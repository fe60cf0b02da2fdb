# /// script
# requires-python = ">=3.11"
# dependencies = ["chromadb==1.5.9"]
# ///
"""chromadb: a persistent local collection with an embedding function of one's own, cosine distance.

Its hybrid search runs only in its cloud; the local one compares vectors. 10 results are its own default.
"""

from collections.abc import Iterator
from pathlib import Path

import chromadb
import numpy as np
from chromadb.api.types import Documents, EmbeddingFunction, Embeddings

from benchmarks.retrieval.exchange import RANKED, Answer, Task, serve

INJECTED = 10


class GivenVectors(EmbeddingFunction[Documents]):  # type: ignore[misc]  # it is not installed where types are checked
    """The vectors that came with the task."""

    def __init__(self, task: Task) -> None:
        self._vector_of = task.vector_of()

    def __call__(self, input: Documents) -> Embeddings:  # noqa: A002  # the interface names it so
        """Return the vectors of the texts."""
        return [np.asarray(self._vector_of[text], dtype=np.float32) for text in input]

    @staticmethod
    def name() -> str:
        """Name the function, as the interface wants."""
        return "given"


def answers(task: Task, folder: Path) -> Iterator[Answer]:
    """Index and search one group."""
    client = chromadb.PersistentClient(str(folder))
    collection = client.create_collection(
        "memory", embedding_function=GivenVectors(task), configuration={"hnsw": {"space": "cosine"}}
    )
    collection.add(
        ids=[entry.id for entry in task.documents],
        documents=[entry.text for entry in task.documents],
    )
    for question in task.questions:
        found = collection.query(query_texts=[question.text], n_results=min(RANKED, len(task.documents)))
        ranked = found["ids"][0]
        yield Answer(question.id, ranked, ranked[:INJECTED])


if __name__ == "__main__":
    serve(["chromadb"], answers)
