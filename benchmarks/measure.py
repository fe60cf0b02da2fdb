"""What the benchmarks share: medians, and lines that read alike."""

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from loguru import logger

from nanobot_memory_plugins.core import MemoryConfig

# Seconds. The limits of a turn are for turns; here the machine's speed is not to decide what is recalled.
_NO_HURRY = 120.0


def median_seconds(function: Callable[[], object], *, repetitions: int = 7) -> float:
    """Return the median seconds of one call, after one call that does not count."""
    function()
    times = []
    for _ in range(repetitions):
        started = time.perf_counter()
        function()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def unhurried(**core: object) -> MemoryConfig:
    """Return a configuration in which a busy machine recalls what an idle one does; ``core`` are further options."""
    return MemoryConfig.model_validate(
        {
            "core": {"message_limit": _NO_HURRY, "start_limit": _NO_HURRY, **core},
            "plugins": {"recall": {"recallTimeout": _NO_HURRY}},
        }
    )


def unhurried_by_words() -> MemoryConfig:
    """Return the same without an embedding model."""
    config = unhurried()
    return config.model_copy(update={"plugins": {**config.plugins, "storage": {"embeddingProvider": "none"}}})


def report(what: str, value: float, unit: str, *, limit: float | None = None, at_least: bool = False) -> None:
    """Print one figure, with the figure to reach and whether it is reached."""
    line = f"  {what:<62} {value:10.3f} {unit}"
    if limit is not None:
        reached = value >= limit if at_least else value <= limit
        line += f"   ({'at least' if at_least else 'at most'} {limit:g}: {'yes' if reached else 'NO'})"
    print(line, flush=True)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the product's log out of the tables."""
    logger.disable("nanobot_memory_plugins")
    try:
        yield
    finally:
        logger.enable("nanobot_memory_plugins")
