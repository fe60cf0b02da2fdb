"""The log of the command line, on standard error. As a library, the set leaves the sinks to its host."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.core.log import logger

if TYPE_CHECKING:
    from loguru import Message

# That loguru makes itself.
_FIRST_SINK = 0
# The sink that shows warnings alone, where the command line has one.
_of_warnings: list[int] = []


def configure_command_line_logging(verbose: bool) -> None:
    """Send the log to standard error: warnings, or with ``verbose`` everything.

    ``diagnose`` is off: it would print the values of variables, secrets among them.
    """
    settings: dict[str, Any] = {
        "level": "DEBUG" if verbose else "WARNING",
        "format": "{time:HH:mm:ss.SSS} {level: <7} {name}: {message}"
        if verbose
        else "<level>{level: <7}</level> {message}",
        "diagnose": False,
        "backtrace": False,
        "colorize": sys.stderr.isatty() and not os.environ.get("NO_COLOR"),
    }
    if "loguru" in sys.modules:
        logger.remove()
        sink = logger.add(_write, **settings)
    else:  # whoever logs first imports it: its environment says the same
        os.environ.update({f"LOGURU_{name.upper()}": str(value) for name, value in settings.items()})
        sink = _FIRST_SINK
    _of_warnings[:] = [] if verbose else [sink]


def _write(message: str) -> None:
    """Write to standard error as it is now: whoever has replaced it meanwhile may have closed it."""
    sys.stderr.write(message)


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Collect what is logged as a warning, or worse, inside the block, instead of showing it; with ``verbose`` both."""
    collected: list[str] = []

    def keep(message: "Message") -> None:
        collected.append(message.record["message"])

    for shown in _of_warnings:
        with suppress(ValueError):  # a host or a plugin may take all of them out
            logger.remove(shown)
    sink = logger.add(keep, level="WARNING", diagnose=False, backtrace=False)
    try:
        yield collected
    finally:
        with suppress(ValueError):
            logger.remove(sink)
        if _of_warnings:
            configure_command_line_logging(verbose=False)
