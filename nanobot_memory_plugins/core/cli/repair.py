"""Putting memory files right before a command reads them, as a host does at its start."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from nanobot_memory_plugins.core.cli.plain import say_note
from nanobot_memory_plugins.core.entry_points import REPAIR_GROUP, installed_entry_points
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.privacy_marks import PrivacyFile
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.redaction.script.messages import tr

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.config.models import MemoryConfig
    from nanobot_memory_plugins.core.erasure.plan import ErasurePlan


def repair_memory(workspace: Path, config: "MemoryConfig") -> None:
    """Let each enabled plugin repair its files, and say on standard error what was done. It blocks, mostly for seconds.

    What was being forgotten when a process ended is forgotten first.

    The entry points of ``nanobot_memory_mending`` name functions of the workspace that return what they did in words,
    empty for nothing. One that fails is passed over.
    """
    memory = workspace / "memory"
    if not memory.is_dir():
        return
    finish_erasure(workspace, config)
    for point in installed_entry_points(REPAIR_GROUP):
        if not config.enabled(point.name):
            continue
        try:
            repair: Callable[[Path], str] = point.load()
            print_repaired(repair(workspace))
        except Exception as error:  # it is somebody else's code, and the command does without
            logger.warning("the files of {} could not be repaired: {}", point.distribution, type(error).__name__)


def finish_erasure(workspace: Path, config: "MemoryConfig | None" = None) -> None:
    """Finish a forgetting that was broken off, and say so on standard error. It blocks.

    Without a configuration it reads that of the usual places, should there be anything to finish.
    """
    if PrivacyFile(MemoryPaths.of(workspace)).unfinished() is None:
        return
    import asyncio

    from nanobot_memory_plugins.core.config.reading import load_config
    from nanobot_memory_plugins.core.host.memory_host import MemoryHost

    async def start() -> "ErasurePlan | None":
        async with MemoryHost(workspace, config=config or load_config()[0]) as host:
            return host.eraser.finished

    try:
        with ThreadPoolExecutor(1) as thread:  # the caller may have an event loop of its own
            finished = thread.submit(asyncio.run, start()).result()
    except Exception as error:  # the command does without
        logger.warning("a forgetting that was broken off could not be finished: {}", type(error).__name__)
        return
    if finished is not None:
        message = (
            tr("A forgetting for good that had been broken off goes on at the next start")
            if finished.waits
            else tr("A forgetting for good that had been broken off is finished")
        )
        print_repaired(message)


def print_repaired(done: str) -> None:
    """Print what was repaired to standard error, or nothing."""
    if done:
        say_note(f"{tr(done)}{tr('.')}")
