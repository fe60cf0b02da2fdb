"""Finishing an interrupted purge before a command reads the memory, as a host does when it starts."""

from pathlib import Path
from typing import TYPE_CHECKING

from nanobot_memory_plugins.core.cli.plain import say_notice
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.privacy_marks import PrivacyFile
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.redaction.script.messages import tr

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.config.models import MemoryConfig
    from nanobot_memory_plugins.core.erasure.plan import ErasurePlan


def finish_erasure(workspace: Path, config: "MemoryConfig | None" = None) -> None:
    """Finish an interrupted purge, and say so on standard error. It blocks, and needs a thread without an event loop.

    If there is a purge to finish and no configuration is given, it loads the default one.
    """
    if PrivacyFile(MemoryPaths.of(workspace)).unfinished() is None:
        return
    import asyncio

    from nanobot_memory_plugins.core.config.reading import load_config
    from nanobot_memory_plugins.core.host.memory_host import MemoryHost

    async def start() -> "ErasurePlan | None":
        async with MemoryHost(workspace, config=config or load_config()) as host:
            return host.eraser.finished

    try:
        finished = asyncio.run(start())
    except Exception as error:  # the command goes on
        logger.warning("an interrupted purge could not be finished: {}", type(error).__name__)
        return
    if finished is not None and finished.waits:
        say_notice(tr("An interrupted purge continues at the next start."))
    elif finished is not None:
        say_notice(tr("An interrupted purge is finished."))
