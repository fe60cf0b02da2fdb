"""Who owns what in one workspace: what its configuration, its host and its files say together."""

import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from nanobot_memory_plugins.core.config.models import MemoryConfig
from nanobot_memory_plugins.core.entry_points import SENDERS_GROUP, installed_entry_points
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.transcript import recorded_scope
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.scopes.people import UNSAID, People, PeopleRecord, Senders
from nanobot_memory_plugins.core.scopes.scopes import Scopes

Offer = Callable[[Path, str], Senders | None]


def workspace_scopes(
    workspace: Path, config: MemoryConfig, senders: Callable[[], Senders] = lambda: UNSAID, *, project: str = ""
) -> Scopes:
    """Return the scopes of a workspace; those of sessions new to this process are read from the transcripts."""
    paths = MemoryPaths.of(workspace)
    return Scopes(
        config.core.share,
        recorded=lambda key: recorded_scope(paths.transcript(key), key),
        people=lambda: People(config.core.people, senders()),
        record=PeopleRecord(paths.memory),
        project=project,
    )


def offered_scopes(workspace: Path, config: MemoryConfig) -> Scopes:
    """Return the same for a command that runs without the host; the host's configuration is read when it is needed."""
    return workspace_scopes(workspace, config, asked_senders(workspace, config))


def asked_senders(workspace: Path, config: MemoryConfig, *, seconds: float = float("inf")) -> Callable[[], Senders]:
    """Return what says who may write to the installed host of a workspace. It asks again after ``seconds``, and blocks.

    A command asks once; what runs for long asks again, since a host's configuration changes.
    """

    @lru_cache(maxsize=1)
    def asked(_period: int) -> Senders:
        return offered_senders(workspace, config)

    return lambda: asked(int(time.monotonic() // seconds))


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
