"""What is handed over when a host tells of a turn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

# Messages before one, or how to get at them: reading them is left to the memory's thread then.
History = Sequence[object] | Callable[[], Sequence[object]]
Raised = type[BaseException] | tuple[type[BaseException], ...]


@dataclass(slots=True)
class ToolCall:
    """One execution of a tool. Whoever runs it sets ``result``, or ``error`` where the tool says that it failed."""

    result: object = None
    error: str | None = None
