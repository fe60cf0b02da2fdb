"""What a process does about a fork: wait for what cannot be cut in two, and keep what is the other process's."""

import concurrent.futures.thread  # noqa: F401  # it has handlers of its own, and is to have them before a fork begins
import os
from collections.abc import Callable


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


def never_collect(what: object) -> None:
    """Keep something for ever, also when the interpreter ends.

    Loops, connections and models of the process that this one was forked off would reach into what that has open, or
    wait for threads that are not here.
    """
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(what))
