"""What a scrub says about a file."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """What was found in a file, which is named relative to the workspace.

    ``kinds`` counts the placeholders that were put in, by their names in lower case (``api_key``, ``email``).
    ``removed`` says that the secrets are gone, or would be, when nothing is to be written; where they stay, ``why``
    says why.
    """

    where: str
    kinds: Mapping[str, int] = field(default_factory=dict)
    removed: bool = True
    why: str = ""
