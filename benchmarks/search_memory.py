"""The memory that a search uses in addition to the embedding model, in a separate process."""

import re
import subprocess
import sys
from pathlib import Path

from benchmarks.made_up import RandomModel
from benchmarks.measure import report
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.protocols import Embedder
from nanobot_memory_plugins.core.values import Query
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.embedding.service import open_embedder
from nanobot_memory_plugins.storage.options import EmbeddingOptions, SearchOptions
from nanobot_memory_plugins.storage.search.searcher import Searcher, meaning_of
from nanobot_memory_plugins.storage.search.sqlite_index import SqliteIndex

_SEARCHES = 5


def report_memory(path: Path, text: str, size: int, *, limit: float | None) -> None:
    """Print the resident memory that searching the index at ``path`` adds, at the end and at the peak."""
    command = [sys.executable, "-m", "benchmarks.search_memory", str(path), text]
    printed = subprocess.check_output(command, text=True, stderr=subprocess.DEVNULL)
    kept, peak = map(float, printed.split()[-2:])
    report("memory beyond the model", kept, "MB")
    report("memory beyond the model, at its peak", peak, "MB", limit=limit)
    report("memory beyond the model, per 100,000 chunks", kept * 100_000 / size, "MB")


def _resident(name: str) -> float:
    """Return a figure of this process in MB: ``VmRSS`` now, or ``VmHWM``, the peak since its reset."""
    found = re.search(rf"^{name}:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"), re.MULTILINE)
    return int(found[1]) * 1024 / 1e6 if found else float("nan")


def main(path: str, text: str) -> None:
    """Search with the model and its vectors, and print the memory that this adds to the process."""
    model: Embedder = open_embedder(EmbeddingOptions()) or RandomModel()
    model.encode(text)
    database = Database.open(Path(path), read_only=True)
    searcher = Searcher(SqliteIndex(database), SearchOptions(), SystemClock())
    before = _resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # resets the peak
    query = Query(text)
    for _ in range(_SEARCHES):
        searcher.search(query, meaning_of(query, model))
    print(_resident("VmRSS") - before, _resident("VmHWM") - before)
    database.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
