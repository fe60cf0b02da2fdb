"""What is told about an exception: its type and its place, never its text or the values around it.

Both the text of an exception and the variables in its frames can carry secrets.
"""

import dis
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType, TracebackType

# How many of the exceptions in a group are named, and how deep coroutines are followed.
_NAMED_IN_GROUP = 4
_CHAIN = 100


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer: an exception's type or a short sentence, and file:line.

    The ``error`` itself is for tests, and told to no log.
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
    def of(cls, function: object) -> "CodeLocation":
        """Find the home of a function, a bound method or anything else that can be called."""
        code = _code_of(function)
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

    def place_of_coroutine(self, coroutine: object) -> str:
        """Return the innermost place in this home where a suspended coroutine waits."""
        place = self.definition
        for link in coroutine_chain(coroutine):
            frame: FrameType | None = getattr(link, "cr_frame", None) or getattr(link, "gi_frame", None)
            if frame is not None and frame.f_code.co_filename.startswith(self.prefix):
                place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        return place


def coroutine_chain(coroutine: object) -> Iterator[object]:
    """Yield a suspended coroutine and, one after the other, what each waits for."""
    for _ in range(_CHAIN):
        if coroutine is None:
            return
        yield coroutine
        coroutine = getattr(coroutine, "cr_await", None) or getattr(coroutine, "gi_yieldfrom", None)


def failure_of(error: BaseException, home: CodeLocation) -> Failure:
    """Describe an exception that came out of an implementation."""
    return Failure(reason=exception_name(error), place=home.place_of(error.__traceback__), error=error)


def exception_name(error: BaseException) -> str:
    """Return the type of an exception, and of those in it when it is a group."""
    name = type.__getattribute__(type(error), "__qualname__")
    if not isinstance(error, BaseExceptionGroup):
        return str(name)
    inner = sorted({str(type.__getattribute__(type(leaf), "__qualname__")) for leaf in error.exceptions})
    return f"{name} of {', '.join(inner[:_NAMED_IN_GROUP])}"


def is_the_users_interrupt(error: BaseException) -> bool:
    """Tell the user's Ctrl-C from a KeyboardInterrupt that a plugin raises itself.

    A signal is delivered between two instructions, an exception of the plugin comes from a ``raise``: the
    instruction at which the traceback begins shows which it was.
    """
    if not isinstance(error, KeyboardInterrupt):
        return False
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    instruction = trace.tb_frame.f_code.co_code[trace.tb_lasti]
    return dis.opname[instruction] not in {"RAISE_VARARGS", "RERAISE"}


def _code_of(function: object) -> CodeType | None:
    """Return the code of something callable, through methods, partials and decorators."""
    for _ in range(_CHAIN):
        if isinstance(function, FunctionType) and not hasattr(function, "__wrapped__"):
            return function.__code__
        for attribute in ("__wrapped__", "__func__", "func"):
            inner = getattr(function, attribute, None)
            if callable(inner):
                function = inner
                break
        else:
            return None
    return None
