"""What a plugin may use of its host."""

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
    """What a running host does for a plugin; without one there is nothing open, and nothing is kept.

    ``keep`` keeps a note of a session, for tools: hooks return their notes. ``erase`` forgets for good in the whole
    workspace, as ``nanobot-memory purge`` does, and says whether no file holds it any more. ``time_limit`` gives
    the seconds for which core waits for the answer to a hook of this name, and None where it waits for as long as
    it takes. ``tools_offered`` says whether the host has asked for the tools that its model is offered.
    ``wrong_options`` says what of the plugin's options is wrong, and was left out.
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
    """Handed to every hook that asks for it; each plugin gets its own.

    ``options`` is the plugin's validated configuration: an instance of its ``Options`` model, by which type checkers
    know it as ``PluginContext[Options]``. It is None when the plugin declares none, and when an option without a
    default is missing. ``complete`` asks the language model, within the budget of its purpose, and is None
    when the host has wired none. ``redact`` hides secrets in a text, as core does before it writes, and the
    contact data that no user said; ``redact_said`` is for the user's own words, and for what is in the
    memory's files. ``scopes`` says what may be seen on whose behalf. ``wishes`` is what
    the user has laid down about remembering.
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
        """The open index, or None: no store plugin is enabled, or it could not be opened."""
        return self.host.store()

    @property
    def entries(self) -> EntryAccess | None:
        """Access to the scored entries, or None: no plugin keeps any."""
        return self.host.entries()

    @property
    def keep(self) -> Callable[[Note, str], Awaitable[Receipt]]:
        """Keeps a note of a session, for tools: ``receipt = await context.keep(note, session_key)``."""
        return self.host.keep
