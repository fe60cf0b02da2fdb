"""What a host is made of, as its parts share it."""

from dataclasses import dataclass

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.config.models import CoreOptions
from nanobot_memory_plugins.core.files import MemoryFiles
from nanobot_memory_plugins.core.host.append_notices import AppendNotices
from nanobot_memory_plugins.core.host.forgetting import LiveForgetting
from nanobot_memory_plugins.core.host.hook_calls import HookCalls
from nanobot_memory_plugins.core.host.off_record import OffTheRecord
from nanobot_memory_plugins.core.host.recorder import TurnRecorder
from nanobot_memory_plugins.core.host.said_before import SaidBefore
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.text.attribution import UserAttribution


@dataclass(frozen=True, slots=True)
class HostParts:
    """The parts of one host that stand behind its calls."""

    options: CoreOptions
    clock: Clock
    files: MemoryFiles
    notices: AppendNotices
    recorder: TurnRecorder
    words: UserAttribution
    redaction: ContactRedaction
    forgotten: LiveForgetting
    off_record: OffTheRecord
    hooks: HookCalls
    said: SaidBefore
