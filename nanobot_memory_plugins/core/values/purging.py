"""What is told about a text that is forgotten for good."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Trace:
    """Where a text that is to be forgotten was found.

    ``where`` is a file, relative to the workspace, ``count`` how many times it stands there. ``removed`` says that it
    is gone from there, or would be, when nothing is to be written; where it stays, ``why`` says why.
    """

    where: str
    count: int = 1
    removed: bool = True
    why: str = ""
