"""The places at which the bridge attaches to nanobot, and what users lose when one cannot be attached.

Only two of them are public in nanobot 0.3.5. Each is tried separately, so that a nanobot that has moved one of them
loses only that one, and `doctor` reports it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.redaction.script.messages import Sentence

# What users lose when a seam is not attached.
DEGRADED = {
    "recall": "no recall, user messages are not remembered, and the model is offered no tools",
    "turn saved": "the assistant's replies are not remembered, and no session is ever found idle",
    "early recall": "recall begins when nanobot asks for it, not ahead; temporary turns of the SDK are remembered",
    "tool hook": "what tools did is not remembered",
    "compaction under token pressure": "nothing is saved before a full context is cut",
    "compaction of a session": "nothing is saved before /compact, /new and idle compaction",
    "prompt files": "bootstrap files and MEMORY.md go into the prompt whole, and the memory's entries do not",
    "close": "what is under way when nanobot ends is finished at the interpreter's exit, or at the next start",
    "tools": "the model is offered none of the memory's tools",
}


@dataclass(frozen=True, slots=True)
class Seam:
    """One place in nanobot, by what the bridge uses it for. ``detail`` names the place, or says what is missing."""

    name: str
    attached: bool
    detail: str


def attach(name: str, wrap: Callable[[], str]) -> Seam:
    """Try one seam of `DEGRADED`. ``wrap`` returns the place that it has changed, or raises; `attach` never raises."""
    try:
        return Seam(name, True, wrap())
    except AttributeError as error:
        kind = type(error.obj).__name__
        seam = Seam(name, False, Sentence("{kind} has no {names}", kind=kind, names=error.name))
    except Exception as error:
        seam = Seam(name, False, Sentence("failed: {kind}", kind=type(error).__name__))
    logger.warning("memory in nanobot: {} is not attached ({}): {}", name, seam.detail, DEGRADED[name])
    return seam
