"""Logging of the command line. As a library, the set logs through loguru and leaves the sinks to its host."""

import os
import sys

from nanobot_memory_plugins.core.log import logger


def configure_command_line_logging(verbose: bool) -> None:
    """Send the log to standard error: warnings, or with ``verbose`` everything.

    ``diagnose`` is off: it would print the values of variables, secrets among them.
    """
    logger.remove()
    logger.add(
        sys.stderr,
        level="DEBUG" if verbose else "WARNING",
        format="<level>{level: <7}</level> {message}"
        if not verbose
        else "{time:HH:mm:ss.SSS} {level: <7} {name}: {message}",
        colorize=False if os.environ.get("NO_COLOR") else None,
        diagnose=False,
        backtrace=False,
    )
