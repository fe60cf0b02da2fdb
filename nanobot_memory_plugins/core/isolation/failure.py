"""What is reported about an exception: its type and its place, never its text or the values around it.

Both the text of an exception and the variables in its frames can carry secrets. An author who traces the calls of hooks
has the full traceback in the log. Secrets that redaction knows are hidden there as well.
"""

import inspect
import os
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final

from nanobot_memory_plugins.core.log import logger

TRACE_VARIABLE: Final = "NANOBOT_MEMORY_TRACE"
"""The environment variable that has each call of a hook shown, for whoever writes a plugin."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer: an exception's type or a short sentence, and file:line.

    The ``error`` itself is for tests, and never logged.
    """

    reason: str
    place: str
    error: BaseException | None = field(default=None, repr=False, compare=False)


def failure_of(error: BaseException, function: Callable[..., Any], plugin: str) -> Failure:
    """Describe an exception that came out of a plugin's function."""
    log_traceback(plugin, error)
    return Failure(reason=exception_name(error), place=place_of(function, error.__traceback__), error=error)


def place_of(function: Callable[..., Any], trace: TracebackType | None = None) -> str:
    """Return the innermost place of a traceback that lies in the package of a function, else where that is defined."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    place = f"{code.co_filename}:{code.co_firstlineno}" if code is not None else "an unknown place"
    package = _package(getattr(function, "__module__", ""))
    while trace is not None:
        if _package(trace.tb_frame.f_globals.get("__name__")) == package:
            place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


def _package(module: object) -> str:
    return str(module).partition(".")[0]


def exception_name(error: BaseException) -> str:
    """Return the type of an exception, and of those in it when it is a group."""
    name = type(error).__qualname__
    if not isinstance(error, BaseExceptionGroup):
        return name
    return f"{name} of {', '.join(sorted({type(leaf).__qualname__ for leaf in error.exceptions}))}"


def is_traced() -> bool:
    """Return whether each call of a hook is to be shown."""
    return os.environ.get(TRACE_VARIABLE, "") not in ("", "0")


def log_traceback(plugin: str, error: BaseException) -> None:
    """Log the traceback of a plugin's error, a line of it a line of the log, where calls are traced."""
    if not is_traced():
        return
    from nanobot_memory_plugins.redaction.engine.redactor import Redactor

    redact = Redactor().redact  # without the rules of third parties, which are run as plugins are
    for line in redact("".join(traceback.format_exception(error))).splitlines():
        logger.warning("plugin {}: {}", plugin, line)
