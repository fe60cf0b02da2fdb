"""The speed of indexing with vectors, compared to the bare embedding engine, and the memory use at 10,000 chunks."""

import asyncio
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import report
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.storage.embedding.service import open_embedder
from nanobot_memory_plugins.storage.options import EmbeddingOptions

CHUNKS = 400
REPETITIONS = 5
MANY = 10_000
_TEXT = """the server answers slowly when a cache is cold so we moved session data into memory and measured again with
real traffic from last week before anybody decided about hardware budgets or another vendor for storage"""
_WORDS = _TEXT.split()


def chunk(seed: int, tokens: int = 250) -> str:
    """Return a text of about ``tokens`` estimated tokens, different for each seed."""
    chosen = random.Random(seed)
    words: list[str] = []
    while estimate_tokens(" ".join(words)) < tokens:
        words += chosen.choices(_WORDS, k=8)
    return " ".join(words)


def _most_resident_megabytes() -> float:
    """Return the peak memory of this process only. ``getrusage`` would include the process that forked it."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1000
    return float("nan")


async def _until(memory: MemoryHost, vectors: int, seconds: float) -> None:
    deadline = time.perf_counter() + seconds
    while time.perf_counter() < deadline:
        status = memory.store.status() if memory.store else None
        if status is not None and status.model and status.vectors >= vectors:
            return
        await asyncio.sleep(0.02)
    raise TimeoutError(f"{vectors} vectors were not made within {seconds:.0f} s")


async def _index(workspace: Path, texts: list[str], seconds: float) -> float:
    """Return the seconds from the first file to the last vector, with the model already loaded."""
    async with MemoryHost(workspace, config=MemoryConfig()) as memory:
        await memory.message_sent(session_key="bench:warm", text="the first")
        await _until(memory, 1, 120)
        folder = workspace / "memory" / "notes"
        folder.mkdir(parents=True)
        started = time.perf_counter()
        (folder / "many.md").write_text(
            "\n\n".join(f"## {n}\n\n{text}" for n, text in enumerate(texts)), encoding="utf-8"
        )
        await memory.flush_index()
        searchable = time.perf_counter() - started
        await _until(memory, len(texts) + 1, seconds)
        whole = time.perf_counter() - started
    report(f"{len(texts)} chunks searchable by full text after", searchable, "s")
    return whole


def _memory() -> None:
    """Index many short chunks in this process, and print its peak memory."""
    short = [f"note {number}: {chunk(number, 30)}" for number in range(MANY)]
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_index(Path(folder), short, 900))
    report(f"most memory of the process, with {MANY} chunks indexed", _most_resident_megabytes(), "MB", limit=600)


def main() -> None:
    """Print the ratio of the rates, and the memory of a separate process, since the bare engine needs a lot of it."""
    texts = [chunk(seed) for seed in range(CHUNKS)]
    embedder = open_embedder(EmbeddingOptions())
    if embedder is None:
        print("  the embedding model is not installed")
        return
    engine = getattr(embedder, "_engine")  # noqa: B009  # the bare fastembed object, for the comparison
    embedder.encode(texts[:16])
    shares: dict[int, list[float]] = {256: [], 16: []}
    for _ in range(REPETITIONS):
        with tempfile.TemporaryDirectory() as folder:
            ours = asyncio.run(_index(Path(folder), texts, 600))
        for batch_size, found in shares.items():
            started = time.perf_counter()
            list(engine.embed(texts, batch_size=batch_size))
            found.append((time.perf_counter() - started) / ours)
    for batch_size, found in shares.items():
        what = f"indexing {CHUNKS} chunks, share of the bare rate in batches of {batch_size}"
        report(what, statistics.median(found), "", limit=0.8, at_least=True)
    subprocess.run([sys.executable, "-c", "from benchmarks.indexing import _memory; _memory()"], check=True)


if __name__ == "__main__":
    main()
