"""What the state keeps of turns: what was injected, and which went without memory. Ids and counts, and no words.

And what is said of turns without memory: to the model in the turn, and by ``doctor``.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.text.fence import Language, language_of
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values import ContextBlock
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Fences are written in these; the command line may have catalogues of more.
_OF_FENCES: Mapping[str, Language] = {"en": "en", "zh": "zh"}

LATE_NOTICE: Mapping[Language, str] = {
    "en": "The memory could not be searched in time for this message: what it knows may be missing here. Say so where"
    " it matters.",
    "zh": "这条消息没来得及查找记忆，已知的内容可能没有列在这里；需要时请如实说明。",
}

_MISSED_KIND, _INJECTED_KIND = "missed_turn", "recall"
_DAY = timedelta(days=1)


def notice_language(language: str, text: str) -> Language:
    """Return the language for the notices of a turn: the configured one, or that of its message."""
    return _OF_FENCES.get(language) or language_of(text)


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
    workspace: Path, clock: Clock, blocks: Sequence[ContextBlock], *, tool_tokens: int, entries: str
) -> None:
    """Record a turn. It blocks; a state database that is locked costs the record only."""
    body = {
        "ids": list(dict.fromkeys(hit for block in blocks for hit in block.hit_ids)),
        "tokens": sum(estimate_tokens(block.text) for block in blocks),
        "tool_tokens": tool_tokens,
        "entry_tokens": estimate_tokens(entries),
    }
    _note(workspace, clock, _INJECTED_KIND, body)


def injections(state: StateDatabase, *, since: date) -> Iterator[Injection]:
    """Yield the recorded turns from a day (UTC) on, oldest first. Raises `StoreError`."""
    for time, body in state.events(_INJECTED_KIND, since=since):
        yield Injection(time=time, **{**body, "ids": tuple(body["ids"])})


def record_missed_turn(workspace: Path, clock: Clock, why: str) -> None:
    """Record why nothing was recalled in a turn. It blocks; a state database that is locked costs the record."""
    said = Sentence.of(why)
    _note(workspace, clock, _MISSED_KIND, {"why": said.template, "values": said.values})


def missed_turns(state: StateDatabase, *, since: datetime) -> list[tuple[datetime, str]]:
    """Return when nothing was recalled, and why. It blocks. Raises `StoreError`."""
    found = state.events(_MISSED_KIND, since=since.date())
    return [(time, Sentence(body["why"], **body.get("values", {}))) for time, body in found if time >= since]


def _note(workspace: Path, clock: Clock, kind: str, body: Mapping[str, object]) -> None:
    try:
        StateDatabase.of(workspace).add_event(kind, clock.now(), body)
    except StoreError as error:
        logger.debug("a turn could not be recorded: {}", error.cause)


def missed_findings(state: StateDatabase, now: datetime) -> list[Finding]:
    """Return which turns of the last day went without memory, and why; nothing where none did. It blocks."""
    try:
        found = missed_turns(state, since=now - _DAY)
    except StoreError:
        return []
    if not found:
        return []
    counted = Counter(why for _, why in found).most_common()
    told = Sentence.joined((Sentence("{times} ({why})", times=times, why=why) for why, times in counted), "; ")
    last = max(time for time, _ in found).astimezone()
    condition = Sentence("in the last day {told}; last at {last:%H:%M}", told=told, last=last)
    hint = Sentence(
        "`nanobot-memory --verbose doctor` shows what fails. Where the machine is busy let a turn wait longer, in"
        " seconds: `nanobot-memory config set core.messageLimit 3` and `nanobot-memory config set recall.recallTimeout"
        " 2`; where the memory was still starting `nanobot-memory config set nanobot.startLimit 15`."
    )
    return [Finding("turns without memory", condition, Health.DEGRADED, hint)]
