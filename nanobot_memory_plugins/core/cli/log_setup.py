"""The log of the command line, on standard error. As a library, the set leaves the sinks to its host."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.core.log import logger

if TYPE_CHECKING:
    from loguru import Message

# That loguru makes itself.
_FIRST_SINK = 0
# The sink that shows warnings alone, where the command line has one.
_of_warnings: list[int] = []


class _StandardError:
    """Standard error as it is when something is written: whoever has replaced it meanwhile may have closed it."""

    def write(self, text: str) -> None:
        """Write a text."""
        sys.stderr.write(text)

    def flush(self) -> None:
        """Write what waits."""
        sys.stderr.flush()

    def isatty(self) -> bool:
        """Tell whether it is a terminal, which colors are for."""
        return sys.stderr.isatty()


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
    }
    if os.environ.get("NO_COLOR"):
        settings["colorize"] = False
    if "loguru" in sys.modules:
        logger.remove()
        sink = logger.add(_StandardError(), **settings)
    else:  # whoever logs first imports it: its environment says the same
        os.environ.update({f"LOGURU_{name.upper()}": str(value) for name, value in settings.items()})
        sink = _FIRST_SINK
    _of_warnings[:] = [] if verbose else [sink]


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Collect what is logged as a warning, or worse, inside the block, instead of showing it; with ``verbose`` both."""
    collected: list[str] = []

    def keep(message: "Message") -> None:
        collected.append(message.record["message"])

    sink = logger.add(keep, level="WARNING", diagnose=False, backtrace=False)
    was_shown = any(_removed(one) for one in _of_warnings)
    try:
        yield collected
    finally:
        _removed(sink)
        if was_shown:
            configure_command_line_logging(verbose=False)


def _removed(sink: int) -> bool:
    """Take a sink out and return whether it was there: a host or a plugin may take all of them out."""
    try:
        logger.remove(sink)
    except ValueError:
        return False
    return True
