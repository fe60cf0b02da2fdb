"""What ``nanobot-memory doctor`` reports."""

from dataclasses import dataclass, replace
from enum import StrEnum


class Health(StrEnum):
    """How good a finding is."""

    GOOD = "good"
    DEGRADED = "degraded"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact about the installation.

    ``subject`` is a short stable name (``embedding model``), ``state`` what was found, ``mend`` what the
    reader can do when it is not good.
    """

    subject: str
    state: str
    health: Health = Health.GOOD
    mend: str = ""

    def with_mend(self) -> "Finding":
        """Return it with something to do about it: where whoever reports a problem knows nothing, how to see more."""
        if self.health is Health.GOOD or self.mend.strip():
            return self
        return replace(self, mend="`nanobot-memory --verbose doctor` shows more.")
