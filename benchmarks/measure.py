"""Shared helpers of the benchmarks: medians, and uniform lines of output."""

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from loguru import logger

from nanobot_memory_plugins.core import MemoryConfig

# In seconds, so generous that the machine's speed does not affect what is recalled.
_NO_HURRY = 120.0


def median_seconds(function: Callable[[], object], *, repetitions: int = 7) -> float:
    """Return the median seconds of a call, after one call as a warm-up."""
    function()
    times = []
    for _ in range(repetitions):
        started = time.perf_counter()
        function()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def patient_configuration(**core: object) -> MemoryConfig:
    """Return a configuration with generous time limits, so that a busy machine recalls the same as an idle one."""
    return MemoryConfig.model_validate(
        {
            "core": {"message_limit": _NO_HURRY, "start_limit": _NO_HURRY, **core},
            "plugins": {"recall": {"recallTimeout": _NO_HURRY}},
        }
    )


def patient_configuration_by_words() -> MemoryConfig:
    """Return the same configuration without an embedding model."""
    config = patient_configuration()
    return config.model_copy(update={"plugins": {**config.plugins, "storage": {"embeddingProvider": "none"}}})


def report(what: str, value: float, unit: str, *, limit: float | None = None, at_least: bool = False) -> None:
    """Print a figure with its bound, and whether it is met."""
    line = f"  {what:<62} {value:10.3f} {unit}"
    if limit is not None:
        reached = value >= limit if at_least else value <= limit
        line += f"   ({'at least' if at_least else 'at most'} {limit:g}: {'yes' if reached else 'NO'})"
    print(line, flush=True)


@contextmanager
def quiet() -> Iterator[None]:
    """Disable the product's log."""
    logger.disable("nanobot_memory_plugins")
    try:
        yield
    finally:
        logger.enable("nanobot_memory_plugins")
