"""The cost of changing one of 2,000 scored entries, compared to reading and writing the same file."""

import os
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.measure import median_seconds, quiet, report
from nanobot_memory_plugins.consolidation.model.scoring import activate_entry, entry_as_of
from nanobot_memory_plugins.consolidation.store import entry_text
from nanobot_memory_plugins.consolidation.store.document import parse, render
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.values.entries import Entry

SIZE = 2_000
NOW = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)
TEXT = "用户偏好用 pytest 而非 unittest; Acme pays its invoices within {} days and asks for a copy by post"


def _entries() -> dict[str, Entry]:
    return {
        f"id{n:05}": Entry(f"id{n:05}", TEXT.format(n), "fact", n % 100 / 100, NOW - timedelta(days=n % 60), n, NOW)
        for n in range(SIZE)
    }


def _bare(path: Path) -> Callable[[], None]:
    """Return a function that reads a file and writes it again durably."""

    def read_and_write() -> None:
        data = path.read_bytes()
        with open(path.with_name("bare.tmp"), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(path.with_name("bare.tmp"), path)

    return read_and_write


def main() -> None:
    """Print the costs as multiples of a bare read and write."""
    with tempfile.TemporaryDirectory() as folder, quiet():
        (Path(folder) / "memory").mkdir()
        entries = _entries()
        EntryRepository(folder).update(lambda _: entries, who="benchmark", why="fill")
        path = EntryRepository(folder).path
        bare = median_seconds(_bare(path), repetitions=21)
        ids = iter(sorted(entries) * 10)

        def change(*, cold: bool) -> None:
            if cold:
                entry_text.read_entry.cache_clear()
            id_ = next(ids)
            EntryRepository(folder).update(
                lambda e: {**e, id_: activate_entry(e[id_], NOW)}, who="benchmark", why="hit"
            )

        first = median_seconds(lambda: change(cold=True), repetitions=11)
        again = median_seconds(lambda: change(cold=False), repetitions=11)
        days = iter(range(100))

        def fade() -> None:
            now = NOW + timedelta(days=next(days))
            EntryRepository(folder).update(
                lambda e: {id_: entry_as_of(one, now) for id_, one in e.items()}, who="benchmark", why="time"
            )

        fading = median_seconds(fade, repetitions=7)
        started = time.perf_counter()
        entry_text.read_entry.cache_clear()
        document = parse(path.read_bytes())
        parsing = time.perf_counter() - started
        one = next(iter(document.entries))
        wanted = {**document.entries, one: document.entries[one].with_score(0.5)}
        rendering = median_seconds(lambda: render(document, wanted, now=NOW), repetitions=7)
    what = f"of {SIZE:,} entries"
    report(f"load, change one and save, {what}, beside a bare read and write", first / bare, "times", limit=300)
    report("the same in a process that has read the file before", again / bare, "times", limit=80)
    report("a day's fading of all of them", fading / bare, "times")
    report("a bare read and write, absolute", bare * 1000, "ms")
    report("load, change one and save, absolute", first * 1000, "ms")
    report("of this, parsing", parsing * 1000, "ms")
    report("of this, rendering", rendering * 1000, "ms")


if __name__ == "__main__":
    main()
