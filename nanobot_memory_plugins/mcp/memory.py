"""The memory that a server serves: it uses no language model, and leaves to a host with one what that does better."""

from pathlib import Path

from nanobot_memory_plugins.core import MemoryConfig, MemoryService
from nanobot_memory_plugins.core.scopes.people import UNSAID, Senders
from nanobot_memory_plugins.core.scopes.scopes import asked_senders
from nanobot_memory_plugins.mcp.clients import OWNER

# Seconds for which what the host of the workspace says of its people holds.
_PEOPLE_SECONDS = 60.0
# Seconds that a request waits for the memory to open, and a call for its answer.
_START_SECONDS = _CALL_SECONDS = 25.0
# Where no host says who may write: the owner by the name that they have here.
_OWN = Senders(owner=frozenset({OWNER}))
# The bridge into a host that is not here, and the daily consolidation, which is for a process with a language model.
_LEFT_OUT = {"nanobot": {"enabled": False}}
_SCHEDULE = ("consolidation_schedule", "consolidationSchedule")


def served_memory(workspace: Path, config: MemoryConfig, *, project: str = "") -> MemoryService:
    """Return the memory of one workspace, for many clients."""
    read_senders = asked_senders(workspace, config, seconds=_PEOPLE_SECONDS)

    def senders() -> Senders:
        senders_now = read_senders()
        return _OWN if senders_now is UNSAID else senders_now

    options = config.plugins.get("consolidation", {})
    consolidation = {key: value for key, value in options.items() if key not in _SCHEDULE}
    plugins = {**config.plugins, **_LEFT_OUT, "consolidation": {**consolidation, _SCHEDULE[0]: False}}
    return MemoryService(
        workspace,
        config=config.model_copy(update={"plugins": plugins}),
        senders=senders,
        project=project,
        start_limit=_START_SECONDS,
        tool_limit=_CALL_SECONDS,
    )
