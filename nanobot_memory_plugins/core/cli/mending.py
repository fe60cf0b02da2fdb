"""Putting damaged memory files right before a command reads them, as a host does at its start."""

from collections.abc import Callable
from pathlib import Path

import typer
from loguru import logger

from nanobot_memory_plugins.core.config import MemoryConfig
from nanobot_memory_plugins.core.installed import MENDING_GROUP, installed_entry_points


def mend_memory(workspace: Path, config: MemoryConfig) -> None:
    """Let each enabled plugin mend its files, and say on standard error what was done. It blocks, for seconds at most.

    The entry points of ``nanobot_memory_mending`` name functions of the workspace that return what they did in words,
    empty for nothing. One that fails is passed over.
    """
    if not (workspace / "memory").is_dir():
        return
    for point in installed_entry_points(MENDING_GROUP):
        if not config.enabled(point.name):
            continue
        try:
            mend: Callable[[Path], str] = point.load()
            say_mended(mend(workspace))
        except Exception as error:  # it is somebody else's code, and the command does without
            logger.warning("the files of {} could not be mended: {}", point.distribution, type(error).__name__)


def say_mended(done: str) -> None:
    """Print what was mended to standard error, or nothing."""
    if done:
        typer.echo(f"{done}.", err=True)
