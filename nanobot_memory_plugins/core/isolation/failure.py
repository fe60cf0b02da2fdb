"""What is reported about an exception: its type and its place, never its text or the values around it.

Both the text of an exception and the variables in its frames can carry secrets. An author who traces the calls of hooks
has the full traceback in the log. Secrets that redaction knows are hidden there as well.
"""

import inspect
import os
import sys
import traceback
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final

from nanobot_memory_plugins.core.log import logger

TRACE_VARIABLE: Final = "NANOBOT_MEMORY_TRACE"
"""The environment variable that has each call of a hook shown, for whoever writes a plugin."""
# How many of the exceptions in a group are named.
_NAMED_IN_GROUP: Final = 4


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer: an exception's type or a short sentence, and file:line.

    The ``error`` itself is for tests, and never logged.
    """

    reason: str
    place: str
    error: BaseException | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class CodeLocation:
    """Where the code of an implementation lives: its package's folder, or its file when it is in none."""

    prefix: str
    definition: str

    @classmethod
    def of(cls, function: Any) -> "CodeLocation":
        """Find the home of a function, a bound method or anything else that can be called."""
        plain = inspect.unwrap(function)
        while hasattr(plain, "func"):  # a partial
            plain = plain.func
        code = getattr(getattr(plain, "__func__", plain), "__code__", None)
        if code is None:
            return cls(prefix="\0", definition="an unknown place")
        module = sys.modules.get(getattr(function, "__module__", None) or "")
        in_package = bool(getattr(module, "__package__", "")) and os.path.isabs(code.co_filename)
        prefix = os.path.dirname(code.co_filename) + os.sep if in_package else code.co_filename
        return cls(prefix=prefix, definition=f"{code.co_filename}:{code.co_firstlineno}")

    def place_of(self, trace: TracebackType | None) -> str:
        """Return the innermost place of a traceback that lies in this home."""
        place = self.definition
        while trace is not None:
            if trace.tb_frame.f_code.co_filename.startswith(self.prefix):
                place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
            trace = trace.tb_next
        return place


def failure_of(error: BaseException, home: CodeLocation, plugin: str) -> Failure:
    """Describe an exception that came out of an implementation."""
    log_traceback(plugin, error)
    return Failure(reason=exception_name(error), place=home.place_of(error.__traceback__), error=error)


def exception_name(error: BaseException) -> str:
    """Return the type of an exception, and of those in it when it is a group."""
    name = type(error).__qualname__
    if not isinstance(error, BaseExceptionGroup):
        return name
    inner = sorted({type(leaf).__qualname__ for leaf in error.exceptions})
    return f"{name} of {', '.join(inner[:_NAMED_IN_GROUP])}"


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
