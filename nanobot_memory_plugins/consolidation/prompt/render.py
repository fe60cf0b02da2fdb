"""The entries that stand in the system prompt: few, the best, and the same text until entries change."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Literal

from nanobot_memory_plugins.consolidation.model.entry import INSTRUCTION, Entry, Section
from nanobot_memory_plugins.consolidation.model.scoring import IMPORTANCES, Importance, last_day
from nanobot_memory_plugins.consolidation.prompt.instructions import HEADINGS as INSTRUCTIONS
from nanobot_memory_plugins.consolidation.prompt.instructions import in_force, instruction_line
from nanobot_memory_plugins.consolidation.store.entry_text import shown_score
from nanobot_memory_plugins.core import Origin, estimate_tokens
from nanobot_memory_plugins.core.text.fence import neutralise

MOST_ENTRIES = 20
MIN_SCORE = 0.5
MOST_TOKENS = 1_400

Language = Literal["zh", "en"]

_HEADINGS: dict[Language, tuple[str, str]] = {
    "zh": ("# 历史记忆", "关于用户的关键信息："),
    "en": ("# Memory of earlier conversations", "Key facts about the user:"),
}
# In a group chat it is not one user whom the facts are about.
_OF_A_GROUP: dict[Language, str] = {
    "zh": "群聊成员说过的关键信息：",
    "en": "Key facts that members of this group have told in it:",
}


# Days before its last one from which a plan stands among the first.
_DUE_WITHIN = 7
_DUE: dict[Language, tuple[str, str]] = {"zh": ("，今天", "，明天"), "en": (", today", ", tomorrow")}
_RANKS = {one.value: rank for rank, one in enumerate(IMPORTANCES)}


def best_entries(
    entries: Iterable[Entry],
    *,
    most: int = MOST_ENTRIES,
    min_score: float = MIN_SCORE,
    now: datetime | None = None,
) -> list[Entry]:
    """Return the entries for the prompt: pinned ones, what is due, then the highest scores.

    When there are too many, what matters most is taken, and of that what was used last.
    None is among them that was replaced, or whose time is over at ``now``. From the score on which it takes an entry
    has to be active to stand there; what is due within a week stands there all the same.
    Only what the user said is among them: the system prompt is what a model believes most, and what a model remembers
    on its own account may be the paraphrase of a web page. Recall has the rest, inside its fence.
    The order is that of the scores as they are shown, then of the ids: so that a day's fading, which lowers all alike,
    does not move an entry.
    """
    good = [
        entry
        for entry in entries
        if entry.kind != INSTRUCTION
        and not entry.superseded_by
        and _is_borne_out(entry)
        and not _is_over(entry, now)
        and (_is_good(entry, min_score) or is_due(entry, now))
    ]

    def shown_first(entry: Entry) -> tuple[object, ...]:
        return not entry.pinned, not is_due(entry, now), -float(shown_score(entry.score)), entry.id

    def taken_first(entry: Entry) -> tuple[object, ...]:
        matters = _RANKS.get(entry.importance, _RANKS[Importance.MEDIUM.value])
        return not entry.pinned, not is_due(entry, now), matters, -entry.last_activated.toordinal()

    order = sorted(good, key=shown_first)
    return sorted(sorted(order, key=taken_first)[: max(0, most)], key=shown_first)


def _is_borne_out(entry: Entry) -> bool:
    """Return whether an entry rests on the user's words, or on the assistant's and a later session's."""
    return entry.origin is Origin.USER or (entry.origin is Origin.ASSISTANT and bool(entry.quote) and entry.hits > 0)


def _is_good(entry: Entry, min_score: float) -> bool:
    return entry.section is Section.ACTIVE and (entry.pinned or entry.score >= min_score)


def _is_over(entry: Entry, now: datetime | None) -> bool:
    return now is not None and entry.expires_at is not None and entry.expires_at <= now


def days_left(entry: Entry, now: datetime | None) -> int | None:
    """Return how many days an entry still holds, 0 on its last one; None for one that does not end."""
    if now is None or entry.expires_at is None:
        return None
    return (last_day(entry.expires_at) - now.astimezone().date()).days


def is_due(entry: Entry, now: datetime | None) -> bool:
    """Return whether the last day of an entry is within a week, today included."""
    left = days_left(entry, now)
    return left is not None and 0 <= left <= _DUE_WITHIN and entry.kept_in is not Section.ARCHIVED


def changes_at(entries: Iterable[Entry], now: datetime) -> datetime:
    """Return the next moment at which the text of a prompt may change by itself: midnight, or the end of a plan."""
    midnight = (now.astimezone() + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    ends = [entry.expires_at for entry in entries if entry.expires_at is not None and entry.expires_at > now]
    return min((midnight.astimezone(UTC), *ends))


def prompt_text(
    entries: Iterable[Entry],
    language: Language,
    *,
    most: int = MOST_ENTRIES,
    min_score: float = MIN_SCORE,
    tokens: int = MOST_TOKENS,
    in_group: bool = False,
    now: datetime | None = None,
) -> str:
    """Return what stands in the prompt, heading included, or the empty string when nothing does.

    Of the instructions in force, and then of the best entries, those are taken that fit into ``tokens`` (estimated) one
    after the other; one that is too long is left out whole. In a group chat nobody's instructions stand, since others
    write there. Text that imitates the markers of injected memories is replaced. The same entries give the same text.
    """
    entries = list(entries)
    head = _head(language, in_group=in_group)
    tokens -= estimate_tokens(head)
    asked = [] if in_group else _fitting_instructions(entries, language, tokens)
    tokens -= sum(estimate_tokens(item) + 1 for _, item in asked)
    chosen = _fitting(best_entries(entries, most=most, min_score=min_score, now=now), tokens, language, now)
    below = "\n".join([INSTRUCTIONS[language], *(item for _, item in asked)]) if asked else ""
    if not chosen:
        return f"{_HEADINGS[language][0]}\n\n{below}" if below else ""
    facts = "\n".join([head, *(item for _, item in chosen)])
    return f"{facts}\n\n{below}" if below else facts


def _head(language: Language, *, in_group: bool = False) -> str:
    heading, line = _HEADINGS[language]
    return f"{heading}\n\n{_OF_A_GROUP[language] if in_group else line}"


def _fitting_instructions(entries: Iterable[Entry], language: Language, tokens: int) -> list[tuple[Entry, str]]:
    """Return the instructions in force that fit, the newest first to be taken, in order of their days."""
    tokens -= estimate_tokens(INSTRUCTIONS[language]) + 2
    chosen: list[tuple[Entry, str]] = []
    for entry in reversed(in_force(entries)):
        item = instruction_line(entry, language)
        tokens -= estimate_tokens(item) + 1
        if tokens < 0:
            break
        chosen.append((entry, item))
    return chosen[::-1]


def _fitting(best: Iterable[Entry], tokens: int, language: Language, now: datetime | None) -> list[tuple[Entry, str]]:
    """Return the entries that fit one after the other, each with its line."""
    chosen: list[tuple[Entry, str]] = []
    for entry in best:
        item = "- " + neutralise(" ".join(entry.content.split())) + _when(entry, language, now) + _said(entry, language)
        cost = estimate_tokens(item) + 1
        if cost <= tokens:
            tokens -= cost
            chosen.append((entry, item))
    return chosen


def _said(entry: Entry, language: Language) -> str:
    """Return the user's own words and their day, where they say more: what twists them shows beside them."""
    if not entry.shown_quote:
        return ""
    quote = neutralise(" ".join(entry.shown_quote.split()))
    day = f"{entry.quoted_on:%Y-%m-%d}" if entry.quoted_on else ""
    return f"（{day} 原话：“{quote}”）" if language == "zh" else f' (said{" " + day if day else ""}: "{quote}")'


def _when(entry: Entry, language: Language, now: datetime | None) -> str:
    """Return until when an entry holds, where its text does not say it, and that it is due."""
    left = days_left(entry, now)
    if left is None or entry.expires_at is None:
        return ""
    day = f"{last_day(entry.expires_at):%Y-%m-%d}"
    due = _DUE[language][left] if 0 <= left < len(_DUE[language]) else ""
    told = due.lstrip(" ,，") if day in entry.content else f"{day}{due}"
    return (f"（{told}）" if language == "zh" else f" ({told})") if told else ""
