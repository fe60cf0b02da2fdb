"""What ``nanobot-memory doctor`` reports."""

from dataclasses import dataclass
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
