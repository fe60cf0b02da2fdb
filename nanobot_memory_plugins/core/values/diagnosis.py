"""What ``nanobot-memory doctor`` reports."""

from dataclasses import dataclass, replace
from enum import StrEnum

from nanobot_memory_plugins.redaction.script.messages import Sentence


class Health(StrEnum):
    """How good a finding is. What is merely so, since the host has no such thing, is information."""

    GOOD = "good"
    INFO = "info"
    DEGRADED = "degraded"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact about the installation.

    ``subject`` is a short stable name (``embedding model``), ``state`` what was found, ``hint`` what the
    reader can do when it is not good.
    """

    subject: str
    state: str
    health: Health = Health.GOOD
    hint: str = ""

    def with_hint(self) -> "Finding":
        """Return it with something to do about it: where whoever reports a problem knows nothing, how to see more."""
        if self.health in (Health.GOOD, Health.INFO) or self.hint.strip():
            return self
        return replace(self, hint=Sentence("`nanobot-memory --verbose doctor` shows more."))
