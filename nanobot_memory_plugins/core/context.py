"""The context that every hook gets: what a plugin may use of its host."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

from typing_extensions import TypeVar

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.protocols import Complete, EntryAccess, Store, VisibleScopes
from nanobot_memory_plugins.core.values import Erasure, Note, Receipt

OptionsT = TypeVar("OptionsT", covariant=True, default=Any)


async def _no_host(_note: Note, _session_key: str) -> Receipt:
    return Receipt(stored=False, reason="No host keeps notes here.")


@dataclass(frozen=True, slots=True)
class HostServices:
    """The services of a running host. The defaults are those of no host: no store, no entries, and no note is kept.

    ``keep`` stores a note of a session. It is for tools, since hooks return their notes. ``erase`` purges texts from
    the whole workspace, as ``nanobot-memory purge`` does, and returns whether no file holds them any more.
    ``time_limit`` returns the seconds that core waits for the answer to a hook, or None where there is no limit.
    ``tools_offered`` returns whether the host has asked for the tools that it offers to its model. ``wrong_options``
    describes the options of the plugin that are invalid and were ignored.
    """

    store: Callable[[], Store | None] = lambda: None
    entries: Callable[[], EntryAccess | None] = lambda: None
    keep: Callable[[Note, str], Awaitable[Receipt]] = _no_host
    erase: Callable[[Erasure], Awaitable[bool]] | None = None
    time_limit: Callable[[str], float | None] = lambda hook: None
    tools_offered: Callable[[], bool] = lambda: False
    wrong_options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PluginContext(Generic[OptionsT]):
    """The context of one plugin, passed to each of its hooks that has a ``context`` parameter.

    ``options`` is the plugin's validated configuration, an instance of its ``Options`` model; annotate the context as
    ``PluginContext[Options]`` to have it typed. It is None when the plugin declares no options, or when an option
    without a default is missing. ``complete`` asks the language model, within the budget of its purpose; it is None
    when the host provides no model. ``redact`` hides secrets in a text, as core does before it writes, and contact
    data that no user has said; ``redact_said`` is for the user's own words and for the text of memory files. ``scopes``
    says who may see what. ``wishes`` is what the user has configured about remembering.
    """

    plugin_name: str
    workspace: Path
    options: OptionsT
    clock: Clock
    complete: Complete | None
    redact: Callable[[str], str]
    redact_said: Callable[[str], str]
    scopes: VisibleScopes
    wishes: str = ""
    host: HostServices = HostServices()

    @property
    def store(self) -> Store | None:
        """The open index, or None when no store plugin is enabled or the index could not be opened."""
        return self.host.store()

    @property
    def entries(self) -> EntryAccess | None:
        """Access to the scored entries, or None when no plugin manages any."""
        return self.host.entries()

    @property
    def keep(self) -> Callable[[Note, str], Awaitable[Receipt]]:
        """Stores a note of a session, for tools: ``receipt = await context.keep(note, session_key)``."""
        return self.host.keep
