"""What a process does when it is forked: finish what must not be cut in two, and never touch what the parent owns."""

import concurrent.futures.thread  # noqa: F401  # it has handlers of its own, which must be registered before ours
import os
from collections.abc import Callable


def _nothing() -> None:
    """Do nothing."""


def at_fork(
    in_child: Callable[[], None], *, before: Callable[[], None] = _nothing, in_parent: Callable[[], None] = _nothing
) -> None:
    """Call ``in_child`` in each forked process, where only the forking thread exists.

    ``before`` is called before each fork, and ``in_parent`` after it in the process that forked.
    """
    if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork either
        os.register_at_fork(before=before, after_in_parent=in_parent, after_in_child=in_child)


def never_collect(value: object) -> None:
    """Keep a value alive forever, even while the interpreter shuts down.

    In a forked process, finalising the parent's loops, connections and models would change what the parent has open,
    or wait for threads that do not exist here.
    """
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))
