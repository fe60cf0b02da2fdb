"""Turns that went without memory: the notice of such a turn, and what ``doctor`` says of the last day's."""

from collections import Counter
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from pathlib import Path

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.config.languages import base_language
from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.text.fence import Language, language_of
from nanobot_memory_plugins.core.values import ContextBlock
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Fences are written in these; the command line may have catalogues of more.
_OF_FENCES: Mapping[str, Language] = {"en": "en", "zh": "zh"}

NOTICES: Mapping[str, Mapping[Language, str]] = {
    "recall": {
        "en": "The memory could not be searched in time for this message: what it knows may be missing here. Say"
        " so where it matters.",
        "zh": "这条消息没来得及查找记忆，已知的内容可能没有列在这里；需要时请如实说明。",
    },
    "consolidation": {
        "en": "Orders to remember or forget in this message, if there are any, are NOT carried out yet: they stand"
        " with the message, and are carried out later by themselves. Do not say that they are done.",
        "zh": "这条消息里如有“记住”或“忘掉”的要求，目前都还没有执行：它们已随消息保存，稍后会自动执行。"
        "不要说已经完成。",
    },
}
"""By plugin, the notice of a turn where it could not look at the message."""

NO_ANSWER = "no answer within"
WITH_START = "the start of the memory included"
_KIND = "missed_turn"
_DAY = timedelta(days=1)
# What a turn goes without, by the plugin that did not answer.
_MISSED = {"recall": "nothing was recalled", "consolidation": "no order to remember or forget was looked for in time"}


def notice_language(language: str, text: str) -> Language:
    """Return the language for the notices of a turn: the configured one, or that of its message."""
    return _OF_FENCES.get(base_language(language)) or language_of(text)


def notices(plugins: Collection[str], language: Language) -> list[ContextBlock]:
    """Return the notices of a turn where some plugins could not look at its message."""
    return [ContextBlock(text=texts[language]) for name, texts in NOTICES.items() if name in plugins]


def note_missed(workspace: Path, clock: Clock, missed: Mapping[str, str]) -> None:
    """Record for each plugin why it did not answer. It blocks; a state database that is locked costs the record."""
    state, now = StateDatabase.of(workspace), clock.now()
    try:
        for plugin, why in missed.items():
            state.add_event(_KIND, now, {"plugin": plugin, "why": why})
    except StoreError as error:
        logger.debug("a turn without memory could not be recorded: {}", error.cause)


def missed_turns(state: StateDatabase, *, since: datetime) -> list[tuple[datetime, str, str]]:
    """Return when which plugin did not answer, and why. It blocks. Raises `StoreError`."""
    events = state.events(_KIND, since=since.date())
    return [(time, body["plugin"], body["why"]) for time, body in events if time >= since]


def missed_recalls(workspace: Path, now: datetime) -> int:
    """Return how many turns of the last day recall did not answer. It blocks, and raises `StoreError`."""
    state = StateDatabase.of(workspace)
    return sum(plugin == "recall" for _, plugin, _ in missed_turns(state, since=now - _DAY))


def missed_findings(state: StateDatabase, now: datetime) -> list[Finding]:
    """Return which turns of the last day went without memory, and why; nothing where none did. It blocks."""
    try:
        found = missed_turns(state, since=now - _DAY)
    except StoreError:
        return []
    if not found:
        return []
    parts = []
    for (plugin, why), times in Counter((plugin, why) for _, plugin, why in found).most_common():
        count = Sentence("once") if times == 1 else Sentence("{times} times", times=times)
        what = Sentence(_MISSED[plugin]) if plugin in _MISSED else Sentence("{plugin} did not answer", plugin=plugin)
        parts.append(Sentence("{count} {what} ({plugin}: {why})", count=count, what=what, plugin=plugin, why=why))
    last = max(time for time, *_ in found).astimezone()
    condition = Sentence("in the last day {told}; last at {last:%H:%M}", told=Sentence.joined(parts, "; "), last=last)
    return [Finding("turns without memory", condition, Health.DEGRADED, _hint([why for *_, why in found]))]


def _hint(reasons: list[str]) -> str:
    late = [why for why in reasons if NO_ANSWER in why]
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
