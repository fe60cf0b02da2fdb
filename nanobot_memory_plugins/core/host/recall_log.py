"""What was injected into each turn: ids and counts, and nothing of what was said."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values import ContextBlock

_KIND = "recall"


@dataclass(frozen=True, slots=True)
class Injection:
    """One turn. ``tokens`` are those of the injected block, ``ids`` the memories in it.

    ``tool_tokens`` are those of the tools that the model was offered, ``entry_tokens`` those of the entries in the
    prompt: what one request held besides. All are estimates.
    """

    time: datetime
    ids: tuple[str, ...]
    tokens: int
    tool_tokens: int = 0
    entry_tokens: int = 0


def record_injection(
    state: StateDatabase, now: datetime, blocks: Sequence[ContextBlock], *, tool_tokens: int, entries: str
) -> None:
    """Add one turn. It blocks; a state database that is locked costs the record only."""
    body = {
        "ids": list(dict.fromkeys(hit for block in blocks for hit in block.hit_ids)),
        "tokens": sum(estimate_tokens(block.text) for block in blocks),
        "tool_tokens": tool_tokens,
        "entry_tokens": estimate_tokens(entries),
    }
    try:
        state.add_event(_KIND, now, body)
    except StoreError as error:
        logger.debug("what was recalled could not be recorded: {}", error.cause)


def injections(state: StateDatabase, *, since: date) -> Iterator[Injection]:
    """Yield the recorded turns from a day (UTC) on, oldest first. Raises `StoreError`."""
    for time, body in state.events(_KIND, since=since):
        yield Injection(time=time, **{**body, "ids": tuple(body["ids"])})
