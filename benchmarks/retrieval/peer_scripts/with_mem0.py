# /// script
# requires-python = ">=3.11"
# dependencies = ["mem0ai==2.2.1"]
# ///
"""mem0: raw memories (``infer=False``: no language model extracts facts) in its default store, Qdrant in a folder.

Its keyword scores need a file from a model hub and its entities a model from elsewhere; without them it compares
vectors, as after a plain installation. 20 results of at least .1 are its own default.
"""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from mem0 import Memory
from mem0.embeddings.base import EmbeddingBase
from mem0.utils.factory import EmbedderFactory

from benchmarks.retrieval.exchange import RANKED, Answer, Task, serve

INJECTED = 20
_PROVIDER = "openai"  # the configuration takes known names only; this one is then pointed at the given vectors


class GivenVectors(EmbeddingBase):  # type: ignore[misc]  # it is not installed where types are checked
    """The vectors that came with the task."""

    vector_of: ClassVar[dict[str, list[float]]] = {}

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """Return the vector of a text."""
        return self.vector_of[text]


def answers(task: Task, folder: Path) -> Iterator[Answer]:
    """Index and search one group."""
    # It strips what it is asked.
    GivenVectors.vector_of = {text.strip(): vector for text, vector in task.vector_of().items()} | task.vector_of()
    configuration: dict[str, Any] = {
        "vector_store": {
            "provider": "qdrant",
            "config": {"path": str(folder / "qdrant"), "embedding_model_dims": task.document_vectors.shape[1]},
        },
        "embedder": {"provider": _PROVIDER, "config": {}},
        "llm": {"provider": "openai", "config": {"api_key": "none"}},
        "history_db_path": str(folder / "history.db"),
    }
    memory = Memory.from_config(configuration)
    for entry in task.documents:
        memory.add(entry.text, user_id=task.name, metadata={"entry": entry.id}, infer=False)
    for question in task.questions:
        if not question.text.strip():  # it refuses
            yield Answer(question.id, (), ())
            continue
        found = memory.search(question.text, top_k=RANKED, filters={"user_id": task.name})["results"]
        ranked = [result["metadata"]["entry"] for result in found]
        yield Answer(question.id, ranked, ranked[:INJECTED])


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    EmbedderFactory.provider_to_class[_PROVIDER] = f"{GivenVectors.__module__}.{GivenVectors.__qualname__}"
    serve(["mem0ai", "qdrant-client"], answers)
