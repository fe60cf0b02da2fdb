"""How well the search finds what a question asks for, on labelled sets of documents and questions.

``python -m benchmarks retrieval`` reads the sets in ``$NANOBOT_MEMORY_SHARED/bench`` (default ``../shared/bench``
beside the checkout): folders with ``docs.jsonl`` and ``queries.jsonl``, and ``score.py`` that scores a run. Every
set is searched twice, by words alone and with the built-in model.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.protocols import Embedder
from nanobot_memory_plugins.core.values import Origin, Query, Scope
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.documents import Document, FileChange, FileState
from nanobot_memory_plugins.storage.embedding import EmbeddingOptions, open_embedder
from nanobot_memory_plugins.storage.search.options import SearchOptions
from nanobot_memory_plugins.storage.search.searcher import Searcher

SHARED = Path(os.environ.get("NANOBOT_MEMORY_SHARED", Path(__file__).parents[2] / "shared"))
SETS = ("locomo_turns", "locomo_facts", "membank_zh", "cmrc_zh", "precisionmem")
COLUMNS = ("R@5", "R@10", "MRR", "B800", "B1800")
RANKED = 60
_BATCH = 256


def records(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSONL file."""
    with file.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def document_of(record: dict[str, Any]) -> Document:
    """Return a record as the indexer would have read it from a transcript of its session."""
    return Document(
        key=record["id"],
        path=f"memory/sessions/{record['group']}-{record['session']}.jsonl",
        line=record["order"] + 1,
        offset=record["order"],
        ordinal=record["order"],
        source="transcript",
        text=record["text"],
        content_hash=hashlib.sha256(record["text"].encode()).hexdigest(),
        origin=Origin.ASSISTANT if record["role"] == "assistant" else Origin.USER,
        scope=Scope(agent=record["group"], session=record["session"]),
        speaker=record["speaker"] or "",
        time=datetime.fromisoformat(record["ts"]) if record["ts"] else None,
    )


def fill(database: Database, documents: list[Document], embedder: Embedder | None) -> None:
    """Index documents, and embed them where there is a model."""
    for path in dict.fromkeys(document.path for document in documents):
        own = tuple(document for document in documents if document.path == path)
        database.apply(FileChange(path, FileState(path, 1, "", 1, 0), own))
    while embedder is not None and (waiting := database.documents_without_vector(embedder.name, _BATCH)):
        vectors = embedder.encode([text for _, text in waiting])
        database.put_vectors(embedder.name, [(row, vector) for (row, _), vector in zip(waiting, vectors, strict=True)])


def run(folder: Path, target: Path, embedder: Embedder | None, options: SearchOptions) -> None:
    """Search every question of a set in its own group and write the ranked ids."""
    with tempfile.TemporaryDirectory() as temporary:
        database = Database.open(Path(temporary) / "memory.db")
        fill(database, [document_of(record) for record in records(folder / "docs.jsonl")], embedder)
        searcher = Searcher(database, lambda: embedder, options=options, clock=SystemClock())
        with target.open("w", encoding="utf-8") as lines:
            for question in records(folder / "queries.jsonl"):
                query = Query(question["text"], limit=RANKED, scope=Scope(agent=question["group"]))
                ranked = [hit.id for hit in searcher.search(query).hits]
                lines.write(json.dumps({"query_id": question["id"], "ranked": ranked, "injected": []}) + "\n")
        database.close()


def scored(folder: Path, target: Path) -> dict[str, float]:
    """Return the figures of a run."""
    command = [
        sys.executable,
        str(folder.parent / "score.py"),
        str(folder),
        str(target),
        "--skip",
        "adversarial",
        "--json",
    ]
    figures: dict[str, float] = json.loads(subprocess.check_output(command))["all"]
    return figures


def main() -> None:
    """Print the figures of every set, by words alone and with the model."""
    bench = SHARED / "bench"
    if not (bench / "score.py").exists():
        print(f"  the labelled sets are not at {bench}")
        return
    model = open_embedder(EmbeddingOptions())
    print(f"  {'':28}" + "".join(f"{column:>9}" for column in COLUMNS))
    for name in SETS:
        for label, embedder in (("words", None), ("words and meaning", model)):
            if label != "words" and embedder is None:
                print("  the embedding model is not installed")
                continue
            with tempfile.TemporaryDirectory() as temporary:
                target = Path(temporary) / "run.jsonl"
                run(bench / name, target, embedder, SearchOptions())
                figures = scored(bench / name, target)
            print(f"  {name:13}{label:15}" + "".join(f"{figures[column]:9.3f}" for column in COLUMNS), flush=True)


if __name__ == "__main__":
    main()
