"""Where the bridge takes hold of nanobot, and what is missing where it could not.

Only two of these places are public in 0.3.5. Each of the others is probed on its own, so that a host that has
moved one of them loses that one, and says so.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.redaction.script.messages import Sentence

# What users go without when a seam is not attached.
DEGRADED = {
    "recall": "no recall, and user messages are not remembered",
    "agent loop": "neither tools nor compactions are seen, and plugins have no language model",
    "turn saved": "the assistant's replies are not remembered, and no session is ever found idle",
    "early recall": "recall begins when nanobot asks for it, not ahead; temporary turns of the SDK are remembered",
    "tool hook": "what tools did is not remembered",
    "compaction under token pressure": "nothing is saved before a full context is cut",
    "compaction of a session": "nothing is saved before /compact, /new and idle compaction",
    "bootstrap files": "large bootstrap files go into the prompt whole",
    "memory file in the prompt": "MEMORY.md goes into the prompt whole, however large it is",
    "close": "what is under way when nanobot ends is finished at the interpreter's exit, or at the next start",
    "more tools": "of the memory's tools only memory_search and remember are offered",
    "draft review": "an uncertain draft is not answered again",
    "tools of subagents": "what subagents do with tools is not remembered, only what they report",
}
_NO_DRAFT_REVIEW = (
    "not possible: nanobot-ai shows a draft before anything can look at it, and keeps it in view when it asks again"
)
_NO_SUBAGENTS = "not possible: subagents of nanobot-ai run with a hook of their own"


@dataclass(frozen=True, slots=True)
class Seam:
    """One place of the host. ``degraded`` says what users go without when it is not attached."""

    name: str
    attached: bool
    detail: str
    degraded: str = ""


class SeamMissingError(Exception):
    """The host has no such place. The message names what was looked for."""


class Seams:
    """The table of what attached."""

    def __init__(self) -> None:
        self._seams: dict[str, Seam] = {}

    def attach(self, name: str, take_hold: Callable[[], str]) -> bool:
        """Try one seam of `DEGRADED`.

        ``take_hold`` returns where it took hold, or raises; nothing is raised from here.
        """
        degraded = DEGRADED[name]
        try:
            seam = Seam(name, True, take_hold(), degraded)
        except Exception as error:
            reason = (
                error.args[0]
                if isinstance(error, SeamMissingError)
                else Sentence("failed: {kind}", kind=type(error).__name__)
            )
            seam = Seam(name, False, reason, degraded)
            logger.warning("memory in nanobot: {} is not attached ({}): {}", name, reason, degraded)
        self._seams[name] = seam
        return seam.attached

    def note_impossible(self) -> None:
        """Record what no version of the host offers. It is no news, so it is not logged."""
        for name, reason in (("draft review", _NO_DRAFT_REVIEW), ("tools of subagents", _NO_SUBAGENTS)):
            self._seams[name] = Seam(name, False, reason, DEGRADED[name])

    def all(self) -> list[Seam]:
        """Return every seam, in the order in which they were tried."""
        return list(self._seams.values())

    def attached(self, name: str) -> bool:
        """Return whether a seam was tried and attached."""
        return name in self._seams and self._seams[name].attached


def require(owner: object, *names: str) -> Any:
    """Follow attribute names from ``owner`` and return what is there.

    Raises `SeamMissingError` naming the first that is missing.
    """
    found = owner
    for name in names:
        if not hasattr(found, name):
            raise SeamMissingError(Sentence("{kind} has no {names}", kind=type(owner).__name__, names=".".join(names)))
        found = getattr(found, name)
    return found


def find_loop(ctx: object) -> Any:
    """Return the AgentLoop that is loading its tools.

    It is in the runtime control of the tool context; in hosts without that, we run inside its constructor.

    Raises `SeamMissingError` when it is in neither place.
    """
    control = getattr(ctx, "runtime_control", None)
    loop = getattr(control, "_AgentRuntimeControl__target", None)
    if loop is not None:
        return loop
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        owner = frame.f_locals.get("self")
        if owner is not None and any(kind.__name__ == "AgentLoop" for kind in type(owner).__mro__):
            return owner
        frame = frame.f_back
    raise SeamMissingError("the tool context leads to no AgentLoop")
