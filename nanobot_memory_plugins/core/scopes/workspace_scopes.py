"""Whose is what in one workspace: what its configuration, its host and its files say together."""

import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from nanobot_memory_plugins.core.config import MemoryConfig
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.files.transcript import recorded_scope
from nanobot_memory_plugins.core.scopes.offered_senders import offered_senders
from nanobot_memory_plugins.core.scopes.people import UNSAID, People, Senders
from nanobot_memory_plugins.core.scopes.people_record import PeopleRecord
from nanobot_memory_plugins.core.scopes.scopes import Scopes


def workspace_scopes(
    workspace: Path, config: MemoryConfig, senders: Callable[[], Senders] = lambda: UNSAID, *, project: str = ""
) -> Scopes:
    """Return the scopes of a workspace; of sessions that this process has not heard of, the transcripts tell."""
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
