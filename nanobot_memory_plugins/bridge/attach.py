"""Attaching the memory to a nanobot that is starting.

nanobot 0.3.5 loads one kind of third-party entry point, ``nanobot.tools``, from the constructor of every
AgentLoop. The tools of this package are asked for there; the first one to be asked attaches everything else.
"""

import weakref
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.bridge.connection import Bridge
from nanobot_memory_plugins.bridge.seams import SeamMissingError, find_loop
from nanobot_memory_plugins.core import logger

# By the identity of the AgentLoop. The loop keeps its bridge alive, and the bridge its loop, so both go together.
_bridges: "weakref.WeakValueDictionary[int, Bridge]" = weakref.WeakValueDictionary()


def attach(ctx: Any) -> Bridge | None:
    """Return the bridge of the AgentLoop that is loading its tools, attaching it the first time. Never raises.

    ``ctx`` is nanobot's ToolContext. None means that the set is disabled, or that attaching failed.
    """
    try:
        owner = _owner(ctx)
        bridge = _bridges.get(id(owner))
        if bridge is None:
            _follow_the_hosts_logging()
            bridge = _bridges[id(owner)] = Bridge(ctx, owner)
        return bridge if bridge.enabled else None
    except Exception as error:
        logger.warning("memory could not be attached to nanobot: {}", type(error).__name__)
        return None


def bridge_of(loop: object) -> Bridge | None:
    """Return the bridge that is attached to an AgentLoop, or None."""
    return _bridges.get(id(loop))


def bridge_for(workspace: Path) -> Bridge | None:
    """Return a bridge in this process whose memory runs on a workspace, or None."""
    return next(
        (bridge for bridge in _bridges.values() if bridge.workspace == workspace and bridge.thread.running), None
    )


def _owner(ctx: Any) -> object:
    """Return the object that identifies one AgentLoop: the loop, or its message bus where it cannot be found."""
    try:
        found: object = find_loop(ctx)
    except SeamMissingError:
        found = ctx.bus if ctx.bus is not None else ctx
    return found


def _follow_the_hosts_logging() -> None:
    """Be silent where nanobot is: its one-shot command disables its own log unless ``--logs`` is given.

    loguru does not tell what is disabled, so this reads its list; without it, our log is left as it is.
    """
    rules = getattr(getattr(logger, "_core", None), "activation_list", ())
    if ("nanobot.", False) in rules:
        logger.disable("nanobot_memory_plugins")
