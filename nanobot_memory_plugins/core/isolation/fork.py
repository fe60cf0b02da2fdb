"""What a process does about a fork: wait for what cannot be cut in two, and keep what is the other process's."""

import concurrent.futures.thread  # noqa: F401  # it has handlers of its own, and is to have them before a fork begins
import contextlib
import os
import sys
from collections.abc import Callable

_kept: list[object] = []


def _nothing() -> None:
    """Do nothing."""


def at_fork(
    begin_anew: Callable[[], None], *, wait: Callable[[], None] = _nothing, go_on: Callable[[], None] = _nothing
) -> None:
    """Have ``begin_anew`` called in each process that is forked off; its thread is the only one there.

    ``wait`` is called before each fork, and ``go_on`` afterwards in the process that has forked.
    """
    if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork either
        os.register_at_fork(before=wait, after_in_parent=go_on, after_in_child=begin_anew)


def leave_libraries_to_parent() -> None:
    """Let this process end without what libraries do at its end: onnxruntime waits there for threads of the parent's.

    Python's own end is over by then. Only where the C library knows ``on_exit``.
    """
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.on_exit(ctypes.cast(library._exit, ctypes.c_void_p), None)


def leave_to_parent(what: object) -> None:
    """Never collect something of the process that this one was forked off, not even when the interpreter ends.

    Loops, connections and models would reach into what that process has open, or wait for threads that are not here.
    """
    if sys.implementation.name == "cpython":
        import ctypes

        ctypes.pythonapi.Py_IncRef(ctypes.py_object(what))
    _kept.append(what)
