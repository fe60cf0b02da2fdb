"""Who may write to an installed host, for commands that run without that host."""

from collections.abc import Callable
from pathlib import Path

from nanobot_memory_plugins.core.config import MemoryConfig
from nanobot_memory_plugins.core.entry_points import SENDERS_GROUP, installed_entry_points
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.scopes.people import UNSAID, Senders

Offer = Callable[[Path, str], Senders | None]


def offered_senders(workspace: Path, config: MemoryConfig) -> Senders:
    """Return what the first entry point of ``nanobot_memory_senders`` says of those who may write to a workspace.

    Each names a function that takes the workspace and the file of the configuration, and returns None where the
    workspace is not that host's. It may block. One that fails is passed over.
    """
    for point in installed_entry_points(SENDERS_GROUP):
        try:
            offer: Offer = point.load()
            senders = offer(workspace, config.source)
        except Exception as error:  # it is somebody else's code
            logger.warning("{} does not say who may write: {}", point.distribution, type(error).__name__)
            continue
        if isinstance(senders, Senders):
            return senders
    return UNSAID
