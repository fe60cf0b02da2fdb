"""What the panel shows and changes: one workspace, opened to be looked at."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

from nanobot_memory_plugins.core import (
    Clock,
    EntryAccess,
    NanobotMemoryError,
    Store,
    SystemClock,
)
from nanobot_memory_plugins.core.config.models import MemoryConfig
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.privacy_marks import PrivacyFile
from nanobot_memory_plugins.core.host.memory_host import MemoryHost
from nanobot_memory_plugins.core.scopes.scopes import asked_senders
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr


class PanelMemory:
    """One workspace: its plugins and its index."""

    def __init__(self, host: MemoryHost, clock: Clock) -> None:
        self.host = host
        self.clock = clock
        self.paths = MemoryPaths.of(host.workspace)
        self.privacy = PrivacyFile(self.paths)

    @property
    def entries(self) -> EntryAccess:
        """The scored entries, for the views that are there where a plugin keeps some."""
        return cast(EntryAccess, self.host.entries)

    @property
    def store(self) -> Store:
        """The index, for the view that is there where a plugin has one."""
        return cast(Store, self.host.store)


@asynccontextmanager
async def opened(workspace: Path, config: MemoryConfig, *, clock: Clock | None = None) -> AsyncIterator[PanelMemory]:
    """Open plugins and index to look at them: nothing is learned, consolidated or observed here."""
    clock, senders = clock or SystemClock(), asked_senders(workspace, config)
    memory = PanelMemory(MemoryHost(workspace, config=config, clock=clock, senders=senders, looks_only=True), clock)
    async with memory.host:
        yield memory


def reason_of(error: BaseException) -> str:
    """Return what to say of an error: cause and hint where it is one of ours, never the values of others."""
    if isinstance(error, NanobotMemoryError):
        return f"{tr(error.cause)} {tr(error.hint)}".rstrip()
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return tr(Sentence("Unexpected {kind}.", kind=type(error).__name__))
