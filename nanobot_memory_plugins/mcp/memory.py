"""The memory that a server serves: a `MemoryHost` that learns the owner of a session before a tool is run in it."""

from collections.abc import Sequence
from pathlib import Path

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.config.models import ConfigProblem
from nanobot_memory_plugins.core.scopes.people import UNSAID, Senders
from nanobot_memory_plugins.core.scopes.scopes import asked_senders
from nanobot_memory_plugins.mcp.clients import OWNER, Client

# Seconds for which what the host of the workspace says of its people holds.
_PEOPLE_SECONDS = 60.0
# Where no host says who may write: the owner by the name that they have here.
_OWN = Senders(owner=frozenset({OWNER}))
# The bridge into a host that is not here, and the daily consolidation, which is for a process with a language model.
_LEFT_OUT = {"nanobot": {"enabled": False}}
_SCHEDULE = ("consolidation_schedule", "consolidationSchedule")


class ServedMemory(MemoryHost):
    """The memory of one workspace, for many clients.

    It uses no language model, and does nothing by itself that a host with one does better.
    """

    def __init__(
        self, workspace: Path, config: MemoryConfig, problems: Sequence[ConfigProblem] = (), *, project: str = ""
    ) -> None:
        read_senders = asked_senders(workspace, config, seconds=_PEOPLE_SECONDS)

        def senders() -> Senders:
            senders_now = read_senders()
            return _OWN if senders_now is UNSAID else senders_now

        super().__init__(workspace, config=_served(config), problems=problems, senders=senders, project=project)

    def enter(self, client: Client) -> None:
        """Set the owner of the client's session: the tools of the session act for that person.

        It may read the host's configuration: call it in a thread.
        """
        self._scopes.of(client.session, client.scope)


def _served(config: MemoryConfig) -> MemoryConfig:
    options = config.plugins.get("consolidation", {})
    consolidation = {key: value for key, value in options.items() if key not in _SCHEDULE}
    plugins = {**config.plugins, **_LEFT_OUT, "consolidation": {**consolidation, _SCHEDULE[0]: False}}
    return config.model_copy(update={"plugins": plugins})
