"""The findings that ``nanobot-memory doctor`` reports."""

from dataclasses import dataclass, replace
from enum import StrEnum

from nanobot_memory_plugins.redaction.script.messages import Sentence


class Health(StrEnum):
    """How good a finding is. ``INFO`` is neither: for example, the host lacks an optional feature."""

    GOOD = "good"
    INFO = "info"
    DEGRADED = "degraded"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact about the installation.

    ``subject`` is a short stable name (``embedding model``), ``state`` what was found, and ``hint`` what the reader can
    do about it when it is not good.
    """

    subject: str
    state: str
    health: Health = Health.GOOD
    hint: str = ""

    def with_hint(self) -> "Finding":
        """Return the finding with a hint: a problem without one of its own gets the hint how to see more."""
        if self.health in (Health.GOOD, Health.INFO) or self.hint.strip():
            return self
        return replace(self, hint=Sentence("`nanobot-memory --verbose doctor` shows more."))
