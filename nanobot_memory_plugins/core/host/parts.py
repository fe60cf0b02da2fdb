"""What a host is made of, as its parts share it."""

from dataclasses import dataclass

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.config.models import CoreOptions
from nanobot_memory_plugins.core.files import MemoryFiles
from nanobot_memory_plugins.core.host.append_notices import AppendNotices
from nanobot_memory_plugins.core.host.hook_calls import HookCalls
from nanobot_memory_plugins.core.host.privacy import Privacy
from nanobot_memory_plugins.core.host.recorder import TurnRecorder
from nanobot_memory_plugins.core.host.said_before import SaidBefore
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction


@dataclass(frozen=True, slots=True)
class HostParts:
    """The parts of one host that stand behind its calls."""

    options: CoreOptions
    clock: Clock
    files: MemoryFiles
    notices: AppendNotices
    recorder: TurnRecorder
    redaction: ContactRedaction
    privacy: Privacy
    hooks: HookCalls
    said: SaidBefore
