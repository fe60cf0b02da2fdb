"""What the calls of a host have in common."""

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.config.models import MemoryConfig
from nanobot_memory_plugins.core.files.memory_files import MemoryFiles
from nanobot_memory_plugins.core.host.hook_calls import HookCalls
from nanobot_memory_plugins.core.host.offered_tools import OfferedTools
from nanobot_memory_plugins.core.host.plugin_set import PluginSet
from nanobot_memory_plugins.core.host.privacy import Privacy
from nanobot_memory_plugins.core.host.recorder import TurnRecorder
from nanobot_memory_plugins.core.host.sessions import Sessions
from nanobot_memory_plugins.core.isolation.owned_tasks import OwnedTasks
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.scopes.scopes import ScopeLike, Scopes
from nanobot_memory_plugins.core.session_reading.reader import SessionReader
from nanobot_memory_plugins.core.values import Scope


class HostParts:
    """The parts of one `MemoryHost`, which makes them. Its calls stand in the classes that derive from this one."""

    config: MemoryConfig
    privacy: Privacy
    _clock: Clock
    _scopes: Scopes
    _redaction: ContactRedaction
    _files: MemoryFiles
    _sessions: Sessions
    _plugins: PluginSet
    _tools: OfferedTools
    _recorder: TurnRecorder
    _hooks: HookCalls
    _reader: SessionReader
    _background: OwnedTasks

    async def start(self) -> None:
        """Start where that was not done yet."""
        raise NotImplementedError

    async def _owner_of(self, session_key: str, scope: ScopeLike) -> Scope:
        """Start where that was not done yet, and return whose a session is."""
        await self.start()
        return self._scopes.of(session_key, scope)
