"""What other distributions say of the installation, for ``nanobot-memory doctor``."""

from collections.abc import Callable, Sequence

from nanobot_memory_plugins.core.entry_points import FINDINGS_GROUP, installed_entry_points, repair_of
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import Sentence

Offer = Callable[[], Sequence[Finding]]


def offered_findings() -> list[Finding]:
    """Return what the entry points of ``nanobot_memory_findings`` say, functions without arguments. It may block."""
    found: list[Finding] = []
    for point in installed_entry_points(FINDINGS_GROUP):
        try:
            offer: Offer = point.load()
            found += [one for one in offer() if isinstance(one, Finding)]
        except Exception as error:  # it is somebody else's code
            found.append(
                Finding(
                    point.distribution,
                    Sentence("cannot say how it is: {kind}", kind=type(error).__name__),
                    Health.DEGRADED,
                    hint=repair_of(point.distribution),
                )
            )
    return found
