"""Turns that went without memory, and why. ``doctor`` tells of the last day's."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import Sentence

_KIND = "missed_turn"
NO_ANSWER = "no answer within"
WITH_START = "the start of the memory included"
_RESTING = "resting after: "
_LATE = re.compile(rf"{NO_ANSWER} (?P<limit>[\d.e+-]+) s(?P<more>, {WITH_START})?")
_DAY = timedelta(days=1)
_SUBJECT = "turns without memory"
# What a turn goes without, by the plugin that did not answer.
_MISSED = {"recall": "nothing was recalled", "consolidation": "no order to remember or forget was looked for in time"}


@dataclass(frozen=True, slots=True)
class MissedTurn:
    """What one turn went without: ``plugin`` did not answer, and ``why`` it did not."""

    time: datetime
    plugin: str
    why: str


def note_missed(workspace: Path, clock: Clock, missed: Mapping[str, str]) -> None:
    """Record for each plugin why it did not answer. It blocks; a state database that is locked costs the record."""
    state, now = StateDatabase.of(workspace), clock.now()
    try:
        for plugin, why in missed.items():
            state.add_event(_KIND, now, {"plugin": plugin, "why": why})
    except StoreError as error:
        logger.debug("a turn without memory could not be recorded: {}", error.cause)


def missed_turns(state: StateDatabase, *, since: datetime) -> Iterator[MissedTurn]:
    """Yield what was missed from a time on. Raises `StoreError`."""
    for time, body in state.events(_KIND, since=since.date()):
        if time >= since:
            yield MissedTurn(time, **body)


def missed_recalls(workspace: Path, now: datetime) -> int:
    """Return how many turns of the last day recall did not answer. It blocks, and raises `StoreError`."""
    return sum(one.plugin == "recall" for one in missed_turns(StateDatabase.of(workspace), since=now - _DAY))


def missed_findings(state: StateDatabase, now: datetime) -> list[Finding]:
    """Return which turns of the last day went without memory, and why; nothing where none did. It blocks."""
    try:
        found = list(missed_turns(state, since=now - _DAY))
    except StoreError:
        return []
    if not found:
        return []
    told = []
    for (plugin, why), times in Counter((one.plugin, one.why) for one in found).most_common():
        count = Sentence("once") if times == 1 else Sentence("{times} times", times=times)
        what = Sentence(_MISSED[plugin]) if plugin in _MISSED else Sentence("{plugin} did not answer", plugin=plugin)
        told.append(Sentence("{count} {what} ({plugin}: {why})", count=count, what=what, plugin=plugin, why=_said(why)))
    last = max(one.time for one in found).astimezone()
    condition = Sentence("in the last day {told}; last at {last:%H:%M}", told=Sentence.joined(told, "; "), last=last)
    return [Finding(_SUBJECT, condition, Health.DEGRADED, _hint(found))]


def _said(why: str) -> str:
    """Return why a plugin did not answer as a sentence; it is recorded in English."""
    if why.startswith(_RESTING):
        return Sentence("resting after: {why}", why=_said(why.removeprefix(_RESTING)))
    if (found := _LATE.fullmatch(why)) is None:
        return why
    if found["more"]:
        return Sentence("no answer within {limit} s, the start of the memory included", limit=found["limit"])
    return Sentence("no answer within {limit} s", limit=found["limit"])


def _hint(found: list[MissedTurn]) -> str:
    late = [one.why for one in found if NO_ANSWER in one.why]
    if 2 * sum(WITH_START in why for why in late) > len(late):
        return Sentence(
            "The memory was still starting. Where that comes often let the first turn wait longer: set"
            " memoryPlugins.nanobot.startLimit to 15 (seconds)."
        )
    if late:
        return Sentence(
            "The machine was busy. Where that comes often let a turn wait longer: set memoryPlugins.core.messageLimit"
            " to 3 and memoryPlugins.recall.recallTimeout to 2 (seconds)."
        )
    return Sentence(
        "`nanobot-memory --verbose doctor` shows what fails; with `nanobot agent --logs` it names the place."
    )
