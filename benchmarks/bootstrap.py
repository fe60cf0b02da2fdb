"""The cost of trimming bootstrap files, compared to reading them."""

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import median_seconds, quiet, report
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost

LINE = "- Answer in the user's language, keep it short, and name the file. 回答要简短。\n"
ALONE = MemoryConfig.model_validate(
    {"plugins": {name: {"enabled": False} for name in ("storage", "recall", "observation", "nanobot")}}
)
NAMES = ("AGENTS.md", "SOUL.md", "USER.md", "memory/MEMORY.md")


async def _measure(folder: Path, characters: int) -> tuple[float, float, float]:
    """Return the seconds of reading the files, of the first trimming, and of trimming unchanged files."""
    for name in NAMES:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(LINE * (characters // len(NAMES) // len(LINE)), encoding="utf-8")

    def read() -> dict[str, str]:
        return {name: (folder / name).read_text(encoding="utf-8") for name in NAMES}

    async with MemoryHost(folder, config=ALONE) as memory:
        files = read()
        number = iter(range(1_000))
        first: Callable[[], object] = lambda: memory.trim_bootstrap({**files, "N.md": str(next(number))})  # noqa: E731
        unchanged: Callable[[], object] = lambda: memory.trim_bootstrap(files)  # noqa: E731
        times = [median_seconds(one, repetitions=51) for one in (read, first, unchanged)]
    return times[0], times[1], times[2]


def main() -> None:
    """Print both trimmings as multiples of reading."""
    for characters in (24_000, 1_000_000):
        with tempfile.TemporaryDirectory() as folder, quiet():
            reading, first, unchanged = asyncio.run(_measure(Path(folder), characters))
        report(f"trimming {characters:,} characters of files, beside reading them", first / reading, "times")
        report("the same, unchanged since the last prompt", unchanged / reading, "times")
        report("the same, absolute", unchanged * 1000, "ms")


if __name__ == "__main__":
    main()
