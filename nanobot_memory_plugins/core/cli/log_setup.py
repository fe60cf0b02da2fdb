"""The log of the command line, on standard error. As a library, the set leaves the sinks to its host."""

import os
import sys
from typing import Any

from nanobot_memory_plugins.core.log import logger


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
        logger.add(_write, **settings)
    else:  # whoever logs first imports it: its environment says the same
        os.environ.update({f"LOGURU_{name.upper()}": str(value) for name, value in settings.items()})


def _write(message: str) -> None:
    """Write to standard error as it is now: whoever has replaced it meanwhile may have closed it."""
    sys.stderr.write(message)
