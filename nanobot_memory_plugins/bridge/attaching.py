"""Attaching the memory to a nanobot that is starting.

nanobot loads one kind of third-party entry point, ``nanobot.tools``, from the constructor of every AgentLoop.
"""

import weakref
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.bridge.connection import Bridge
from nanobot_memory_plugins.bridge.tool_calls import OfferedTool
from nanobot_memory_plugins.core import logger

# By the identity of the AgentLoop. The loop keeps its bridge alive, and the bridge its loop, so both go together.
_bridges: "weakref.WeakValueDictionary[int, Bridge]" = weakref.WeakValueDictionary()


class Attachment(OfferedTool):
    """What nanobot asks whether it is a tool to register: it is none, and attaches the memory."""

    @classmethod
    def enabled(cls, ctx: Any) -> bool:
        """Attach the memory to the loop of a ToolContext. Never raises."""
        try:
            # No public name leads to the loop that is loading its tools.
            loop = ctx.runtime_control._AgentRuntimeControl__target
            _bridges[id(loop)] = Bridge(loop, is_quiet=_follow_the_hosts_logging())
        except Exception as error:
            logger.warning("memory could not be attached to nanobot: {}", type(error).__name__)
        return False


def bridge_of(loop: object) -> Bridge | None:
    """Return the bridge that is attached to an AgentLoop, or None."""
    return _bridges.get(id(loop))


def bridge_for(workspace: Path) -> Bridge | None:
    """Return a bridge in this process whose memory runs on a workspace, or None."""
    return next(
        (bridge for bridge in _bridges.values() if bridge.workspace == workspace and bridge.memory.is_running), None
    )


def _follow_the_hosts_logging() -> bool:
    """Be silent where nanobot is, and return whether it is: its one-shot command is unless ``--logs`` is given.

    loguru does not tell what is disabled, so this reads its list; without it, our log is left as it is.
    """
    is_quiet = ("nanobot.", False) in getattr(getattr(logger, "_core", None), "activation_list", ())
    if is_quiet:
        logger.disable("nanobot_memory_plugins")
    return is_quiet
