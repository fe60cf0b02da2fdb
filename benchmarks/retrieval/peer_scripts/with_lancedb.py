# /// script
# requires-python = ">=3.11"
# dependencies = ["lancedb==0.40.0"]
# ///
"""LanceDB: its hybrid search with its default reranker (reciprocal rank fusion).

Full text is indexed with its defaults for English (stemmed, stop words removed), and with its ICU segmentation for
Chinese. 10 results are its own default.
"""

from collections.abc import Iterator
from pathlib import Path

import lancedb
from lancedb.index import FTS

from benchmarks.retrieval.exchange import RANKED, Answer, Task, serve

INJECTED = 10


def answers(task: Task, folder: Path) -> Iterator[Answer]:
    """Index and search one group."""
    rows = [
        {"id": entry.id, "text": entry.text, "vector": vector}
        for entry, vector in zip(task.documents, task.document_vectors, strict=True)
    ]
    table = lancedb.connect(folder).create_table("memory", data=rows)
    if task.language == "zh":
        table.create_index("text", config=FTS(base_tokenizer="icu", stem=False, remove_stop_words=False))
    else:
        table.create_index("text", config=FTS())
    for question, vector in zip(task.questions, task.question_vectors, strict=True):
        if not question.text.strip():  # it refuses
            yield Answer(question.id, (), ())
            continue
        search = table.search(query_type="hybrid").vector(vector).text(question.text).distance_type("cosine")
        ranked = [row["id"] for row in search.limit(RANKED).to_list()]
        yield Answer(question.id, ranked, ranked[:INJECTED])


if __name__ == "__main__":
    serve(["lancedb"], answers)
