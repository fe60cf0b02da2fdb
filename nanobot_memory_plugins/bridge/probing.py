"""Finding out which seams attach, in a process where no nanobot runs.

A real AgentLoop is built on a temporary workspace, with a provider that is never asked, and attaches the bridge
as it would in service. Nothing of it runs.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.bridge.host_version import UPGRADE
from nanobot_memory_plugins.bridge.seams import Seam
from nanobot_memory_plugins.core import PluginError
from nanobot_memory_plugins.redaction.script.messages import Sentence


def probe_seams() -> Sequence[Seam]:
    """Return the seams of the installed nanobot.

    It blocks for as long as nanobot takes to import, a second or two. Raises `PluginError` when no AgentLoop can be
    built, or when it did not pick the bridge up.
    """
    with tempfile.TemporaryDirectory(prefix="nanobot-memory-") as folder:
        try:
            loop = _build_loop(Path(folder))
        except Exception as error:
            raise PluginError(
                Sentence("No AgentLoop can be built here: {kind}.", kind=type(error).__name__), hint=UPGRADE
            ) from error
        from nanobot_memory_plugins.bridge.attach import bridge_of

        bridge = bridge_of(loop)
        if bridge is None:
            raise PluginError(
                "nanobot did not load the bridge's tools.",
                hint="Install both in one environment: pip install nanobot-ai nanobot-memory-bridge",
            )
        return bridge.seams.all()


def _build_loop(folder: Path) -> Any:
    from nanobot.agent.loop import AgentLoop
    from nanobot.bus.queue import MessageBus
    from nanobot.providers.base import LLMProvider, LLMResponse
    from nanobot.session.manager import SessionManager

    class NeverAsked(LLMProvider):  # type: ignore[misc]  # nanobot publishes no types
        """Satisfies the constructor of the loop."""

        def __init__(self) -> None:
            super().__init__(provider_name="none")

        async def chat(self, *args: Any, **kwargs: Any) -> LLMResponse:
            """Fail: probing asks nothing."""
            raise PluginError("The provider of a probe was asked.")

        def get_default_model(self) -> str:
            """Return a name that no provider has."""
            return "none"

    workspace = folder / "workspace"
    return AgentLoop(
        bus=MessageBus(),
        provider=NeverAsked(),
        workspace=workspace,
        # The probe's sessions are kept out of the user's home folder.
        session_manager=SessionManager(workspace, sessions_root=folder / "sessions"),
    )
