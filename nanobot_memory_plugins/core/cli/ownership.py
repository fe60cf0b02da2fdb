"""Whose files they are: what a command run as root leaves in the workspace of another is given to them."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

# Folders of a workspace in which commands write.
OURS = ("memory", ".storage")
_ROOT = 0

_used: ContextVar[set[Path] | None] = ContextVar("used", default=None)


@contextmanager
def owners_kept() -> Iterator[None]:
    """Give what root has left in the workspaces that are used meanwhile to whose workspaces they are."""
    used: set[Path] = set()
    token = _used.set(used)
    try:
        yield
    finally:
        _used.reset(token)
        for workspace in used:
            give_to_owner(workspace)


def note_workspace(workspace: Path) -> None:
    """Take down that a command works in a workspace."""
    if (used := _used.get()) is not None:
        used.add(workspace)


def give_to_owner(workspace: Path) -> None:
    """Give the files of root in a workspace to the user whose folder that is; for others than root it does nothing.

    No link is followed, and a file with another name elsewhere stays root's: whoever owns the folder may have put it
    there to get what is not theirs.
    """
    if not hasattr(os, "geteuid") or os.geteuid() != _ROOT:
        return
    with suppress(OSError):
        owner = workspace.stat()
        if owner.st_uid == _ROOT:
            return
        top = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for name in OURS:
                _give(name, top, owner)
        finally:
            os.close(top)
        for name in OURS:
            for _, folders, files, place in os.fwalk(workspace / name, follow_symlinks=False):
                for below in (*folders, *files):
                    _give(below, place, owner)


def _give(name: str, place: int, owner: os.stat_result) -> None:
    with suppress(OSError):
        before = os.stat(name, dir_fd=place, follow_symlinks=False)
        if before.st_uid != _ROOT or not (stat.S_ISREG(before.st_mode) or stat.S_ISDIR(before.st_mode)):
            return
        opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=place)
        try:
            now = os.fstat(opened)
            if now.st_uid == _ROOT and (stat.S_ISDIR(now.st_mode) or (stat.S_ISREG(now.st_mode) and now.st_nlink == 1)):
                os.fchown(opened, owner.st_uid, owner.st_gid)
        finally:
            os.close(opened)
