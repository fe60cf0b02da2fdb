# /// script
# requires-python = ">=3.11"
# dependencies = ["txtai==9.14.0"]
# [tool.uv]
# # Only its own models need torch.
# override-dependencies = ["torch; sys_platform == 'never'"]
# ///
"""txtai: its hybrid search (BM25 and vectors, half each, scores normalised), with a vector function of one's own.

3 results are its own default.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from txtai import Embeddings

from benchmarks.retrieval.exchange import RANKED, Answer, Task, Vectors, serve

INJECTED = 3


def answers(task: Task, folder: Path) -> Iterator[Answer]:
    """Index and search one group."""
    vector_of = task.vector_of()

    def transform(texts: list[str]) -> Vectors:
        return np.asarray([vector_of[text] for text in texts], dtype=np.float32)

    embeddings = Embeddings(method="external", transform=transform, hybrid=True)
    embeddings.index([(entry.id, entry.text) for entry in task.documents])
    for question in task.questions:
        ranked = [identifier for identifier, _ in embeddings.search(question.text, RANKED)]
        yield Answer(question.id, ranked, ranked[:INJECTED])
    embeddings.close()


if __name__ == "__main__":
    serve(["txtai"], answers)
