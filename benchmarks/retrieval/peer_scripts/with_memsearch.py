# /// script
# requires-python = ">=3.11"
# dependencies = ["memsearch==0.4.23"]
# ///
"""memsearch: its store (Milvus Lite), which always fuses vectors and BM25 by rank. 10 results are its own default."""

from collections.abc import Iterator
from pathlib import Path

from memsearch.store import MilvusStore

from benchmarks.retrieval.exchange import RANKED, Answer, Task, serve

INJECTED = 10


def answers(task: Task, folder: Path) -> Iterator[Answer]:
    """Index and search one group."""
    store = MilvusStore(str(folder / "milvus.db"), dimension=task.document_vectors.shape[1])
    store.upsert(
        [
            {
                "chunk_hash": str(place),
                "embedding": vector.tolist(),
                "content": entry.text,
                "source": "memory.md",
                "heading": "",
                "heading_level": 0,
                "start_line": place,
                "end_line": place,
            }
            for place, (entry, vector) in enumerate(zip(task.documents, task.document_vectors, strict=True))
        ]
    )
    for question, vector in zip(task.questions, task.question_vectors, strict=True):
        found = store.search(vector.tolist(), query_text=question.text, top_k=RANKED)
        ranked = [task.documents[int(hit["chunk_hash"])].id for hit in found]
        yield Answer(question.id, ranked, ranked[:INJECTED])
    store.close()


if __name__ == "__main__":
    serve(["memsearch", "milvus-lite"], answers)
