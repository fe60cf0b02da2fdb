"""Records of turns in the state database: what was injected, and which turns had no memory. Ids and counts, no texts.

Also the notices of turns without memory: for the model in the turn, and for ``doctor``.
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

# The languages of fences; the command line may be translated into more.
_FENCE_LANGUAGES: Mapping[str, Language] = {"en": "en", "zh": "zh"}

LATE_NOTICE: Mapping[Language, str] = {
    "en": "The memory could not be searched in time for this message: what it knows may be missing here. Say so where"
    " it matters.",
    "zh": "这条消息没来得及查找记忆，已知的内容可能没有列在这里；需要时请如实说明。",
}

_MISSED_KIND, _INJECTED_KIND = "missed_turn", "recall"
_DAY = timedelta(days=1)


def notice_language(language: str, text: str) -> Language:
    """Return the language for the notices of a turn: the configured one, else that of its message."""
    return _FENCE_LANGUAGES.get(language) or language_of(text)


@dataclass(frozen=True, slots=True)
class Injection:
    """The memory in one turn: the ``ids`` in the injected block, and the estimated tokens in one request.

    ``tokens`` are those of the block, ``tool_tokens`` those of the offered tools, ``entry_tokens`` those of the entries
    in the prompt.
    """

    time: datetime
    ids: tuple[str, ...]
    tokens: int
    tool_tokens: int = 0
    entry_tokens: int = 0


def record_injection(
    workspace: Path, clock: Clock, blocks: Sequence[ContextBlock], *, tool_tokens: int, entries: str
) -> None:
    """Record what was injected in a turn. This blocks; if the state database is locked, the record is dropped."""
    body = {
        "ids": list(dict.fromkeys(hit for block in blocks for hit in block.hit_ids)),
        "tokens": sum(estimate_tokens(block.text) for block in blocks),
        "tool_tokens": tool_tokens,
        "entry_tokens": estimate_tokens(entries),
    }
    _record(workspace, clock, _INJECTED_KIND, body)


def injections(state: StateDatabase, *, since: date) -> Iterator[Injection]:
    """Yield the recorded turns from a day (UTC) on, oldest first. Raises `StoreError`."""
    for time, body in state.events(_INJECTED_KIND, since=since):
        yield Injection(time=time, **{**body, "ids": tuple(body["ids"])})


def record_missed_turn(workspace: Path, clock: Clock, why: str) -> None:
    """Record why a turn had no recall. This blocks; if the state database is locked, the record is dropped."""
    sentence = Sentence.of(why)
    _record(workspace, clock, _MISSED_KIND, {"why": sentence.template, "values": sentence.values})


def missed_turns(state: StateDatabase, *, since: datetime) -> list[tuple[datetime, str]]:
    """Return the times and reasons of turns without recall. This blocks. Raises `StoreError`."""
    events = state.events(_MISSED_KIND, since=since.date())
    return [(time, Sentence(body["why"], **body.get("values", {}))) for time, body in events if time >= since]


def _record(workspace: Path, clock: Clock, kind: str, body: Mapping[str, object]) -> None:
    try:
        StateDatabase.of(workspace).add_event(kind, clock.now(), body)
    except StoreError as error:
        logger.debug("a turn could not be recorded: {}", error.cause)


def missed_findings(state: StateDatabase, now: datetime) -> list[Finding]:
    """Return a finding about the turns of the last day without memory, if there are any. This blocks."""
    try:
        turns = missed_turns(state, since=now - _DAY)
    except StoreError:
        return []
    if not turns:
        return []
    counted = Counter(why for _, why in turns).most_common()
    told = Sentence.joined((Sentence("{times} ({why})", times=times, why=why) for why, times in counted), "; ")
    last = max(time for time, _ in turns).astimezone()
    condition = Sentence("in the last day {told}; last at {last:%H:%M}", told=told, last=last)
    hint = Sentence(
        "`nanobot-memory --verbose doctor` shows what fails. Where the machine is busy let a turn wait longer, in"
        " seconds: `nanobot-memory config set core.messageLimit 3` and `nanobot-memory config set recall.recallTimeout"
        " 2`; where the memory was still starting `nanobot-memory config set nanobot.startLimit 15`."
    )
    return [Finding("turns without memory", condition, Health.DEGRADED, hint)]
