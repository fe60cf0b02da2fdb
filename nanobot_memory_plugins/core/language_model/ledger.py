"""The recorded uses of the language model, from which daily budgets are computed across restarts and processes."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date, datetime

from nanobot_memory_plugins.core.state import StateDatabase

ANSWERED = "answered"
# The caller cancelled the use: neither a success nor a failure of the model.
CANCELLED = "cancelled"

_KIND = "model_use"


@dataclass(frozen=True, slots=True)
class Usage:
    """One use. Tokens are estimated; ``outcome`` is ``answered`` or the type of the error."""

    time: datetime
    plugin: str
    purpose: str
    prompt_tokens: int
    answer_tokens: int
    seconds: float
    outcome: str


class UsageLedger:
    """The recorded uses of one workspace. All methods block, and raise the `StoreError` of the state database."""

    def __init__(self, state: StateDatabase) -> None:
        self._state = state

    def record(self, usage: Usage) -> None:
        """Add one use."""
        body = {name: value for name, value in asdict(usage).items() if name != "time"}
        self._state.add_event(_KIND, usage.time, body)

    def tokens(self, purpose: str, day: date) -> int:
        """Return the tokens that ``purpose`` has used on ``day`` (UTC), prompts and answers together."""
        total = "sum(body ->> 'prompt_tokens' + body ->> 'answer_tokens')"
        sql = f"SELECT coalesce({total}, 0) FROM event WHERE kind = ? AND day = ? AND body ->> 'purpose' = ?"  # noqa: S608
        return int(self._state.read(sql, (_KIND, day.isoformat(), purpose))[0][0])


def uses(state: StateDatabase, *, since: date) -> Iterator[Usage]:
    """Yield the recorded uses from a day (UTC) on, oldest first. Raises `StoreError`."""
    for time, body in state.events(_KIND, since=since):
        yield Usage(time=time, **body)
