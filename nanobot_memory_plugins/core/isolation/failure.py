"""Reports of exceptions: their type and place, never their text or the values around them, which may hold secrets.

Authors of plugins who trace hook calls find the full traceback in the log, with secrets redacted.
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
"""The environment variable that turns on the trace of hook calls, for authors of plugins."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer: the exception's type or a short sentence, and file:line.

    The ``error`` itself is only for tests, and never logged.
    """

    reason: str
    place: str
    error: BaseException | None = field(default=None, repr=False, compare=False)


def failure_of(error: BaseException, function: Callable[..., Any], plugin: str) -> Failure:
    """Return the failure for an exception that a plugin's function raised."""
    log_traceback(plugin, error)
    return Failure(reason=exception_name(error), place=place_of(function, error.__traceback__), error=error)


def place_of(function: Callable[..., Any], trace: TracebackType | None = None) -> str:
    """Return the innermost place of a traceback in the package of a function, else where the function is defined."""
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
    """Return the type of an exception, and the types in an exception group."""
    name = type(error).__qualname__
    if not isinstance(error, BaseExceptionGroup):
        return name
    return f"{name} of {', '.join(sorted({type(leaf).__qualname__ for leaf in error.exceptions}))}"


def is_traced() -> bool:
    """Return whether hook calls are traced."""
    return os.environ.get(TRACE_VARIABLE, "") not in ("", "0")


def log_traceback(plugin: str, error: BaseException) -> None:
    """Log the traceback of a plugin's error, line by line, if hook calls are traced."""
    if not is_traced():
        return
    from nanobot_memory_plugins.redaction.engine.redactor import Redactor

    redact = Redactor().redact  # without third-party rules, which may fail themselves
    for line in redact("".join(traceback.format_exception(error))).splitlines():
        logger.warning("plugin {}: {}", plugin, line)
