"""The entries in the system prompt: few, the best, and the same text until entries change."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Literal

from nanobot_memory_plugins.consolidation.model.entry import INSTRUCTION, Entry, Section
from nanobot_memory_plugins.consolidation.model.scoring import IMPORTANCES, Importance, last_day
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.store.entry_text import shown_date, shown_score
from nanobot_memory_plugins.core import Origin, estimate_tokens
from nanobot_memory_plugins.core.text.fence import neutralise

Language = Literal["zh", "en"]

MOST_INSTRUCTIONS = 10
# Days before its last one from which a plan is among the first.
_DUE_WITHIN = 7
_RANKS = {importance.value: rank for rank, importance in enumerate(IMPORTANCES)}

_HEADINGS: dict[Language, tuple[str, str]] = {
    "zh": ("# 历史记忆", "关于用户的关键信息："),
    "en": ("# Memory of earlier conversations", "Key facts about the user:"),
}
# In a group chat it is not one user whom the facts are about.
_OF_A_GROUP: dict[Language, str] = {
    "zh": "群聊成员说过的关键信息：",
    "en": "Key facts that members of this group have told in it:",
}
_INSTRUCTIONS: dict[Language, str] = {
    "zh": "用户要求过（原话）：",
    "en": "The user has asked for, in their words:",
}
_UNTIL: dict[Language, str] = {"zh": "，到{day}为止", "en": ", until {day}"}
_DUE: dict[Language, tuple[str, str]] = {"zh": ("，今天", "，明天"), "en": (", today", ", tomorrow")}


def prompt_text(
    entries: Iterable[Entry],
    language: Language,
    now: datetime,
    options: ConsolidationOptions,
    *,
    in_group: bool = False,
) -> str:
    """Return the text for the prompt, heading included, or the empty string when there is none.

    Of the instructions in force, the newest first, and then of the best entries, those are taken that fit into the
    options' tokens (estimated); one that is too long is left out whole. In a group chat no instructions are shown,
    since others write there. Text that imitates the markers of injected memories is replaced. The same entries give the
    same text.
    """
    entries = list(entries)
    heading, line = _HEADINGS[language]
    head = f"{heading}\n\n{_OF_A_GROUP[language] if in_group else line}"
    room = options.prompt_tokens - estimate_tokens(head)
    instructions: list[str] = []
    if not in_group:
        newest_first = (_instruction_line(entry, language) for entry in reversed(_in_force(entries)))
        instructions = _fitting_lines(newest_first, room - estimate_tokens(_INSTRUCTIONS[language]) - 2)[::-1]
        room -= sum(estimate_tokens(item) + 1 for item in instructions)
    facts = _fitting_lines((_fact_line(entry, language, now) for entry in best_entries(entries, now, options)), room)
    below = "\n".join((_INSTRUCTIONS[language], *instructions)) if instructions else ""
    above = "\n".join((head, *facts)) if facts else heading if below else ""
    return "\n\n".join(filter(None, (above, below)))


def best_entries(entries: Iterable[Entry], now: datetime, options: ConsolidationOptions) -> list[Entry]:
    """Return the entries for the prompt: pinned ones, what is due, then the highest scores.

    When there are too many, what matters most is taken, and of that what was used last. None is among them that was
    replaced, or whose time is over. From the options' score on an active entry is there; what is due
    within a week is there all the same.
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
        and (entry.expires_at is None or now < entry.expires_at)
        and (_is_good(entry, options.prompt_min_score) or _is_due(entry, now))
    ]

    def shown_first(entry: Entry) -> tuple[object, ...]:
        return not entry.pinned, not _is_due(entry, now), -float(shown_score(entry.score)), entry.id

    def taken_first(entry: Entry) -> tuple[object, ...]:
        matters = _RANKS.get(entry.importance, _RANKS[Importance.MEDIUM.value])
        return not entry.pinned, not _is_due(entry, now), matters, -entry.last_activated.toordinal()

    taken = sorted(sorted(good, key=shown_first), key=taken_first)[: options.prompt_entries]
    return sorted(taken, key=shown_first)


def changes_at(entries: Iterable[Entry], now: datetime) -> datetime:
    """Return the next moment at which the text of a prompt may change by itself: midnight, or the end of a plan."""
    midnight = (now.astimezone() + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    ends = [entry.expires_at for entry in entries if entry.expires_at is not None and entry.expires_at > now]
    return min((midnight.astimezone(UTC), *ends))


def _in_force(entries: Iterable[Entry]) -> list[Entry]:
    """Return the instructions that hold, oldest first; of too many the newest.

    None that only a model, a tool or a page has said is among them.
    """
    holding = [
        entry
        for entry in entries
        if entry.kind == INSTRUCTION
        and entry.origin is Origin.USER
        and entry.section is Section.ACTIVE
        and not entry.superseded_by
    ]
    return sorted(holding, key=lambda entry: (entry.created_at or entry.last_activated, entry.id))[-MOST_INSTRUCTIONS:]


def _is_borne_out(entry: Entry) -> bool:
    """Return whether an entry rests on the user's words, or on the assistant's and a later session's."""
    return entry.origin is Origin.USER or (entry.origin is Origin.ASSISTANT and bool(entry.quote) and entry.hits > 0)


def _is_good(entry: Entry, min_score: float) -> bool:
    return entry.section is Section.ACTIVE and (entry.pinned or entry.score >= min_score)


def _days_left(entry: Entry, now: datetime) -> int | None:
    """Return how many days an entry still holds, 0 on its last one; None for one that does not end."""
    return None if entry.expires_at is None else (last_day(entry.expires_at) - now.astimezone().date()).days


def _is_due(entry: Entry, now: datetime) -> bool:
    """Return whether the last day of an entry is within a week, today included."""
    left = _days_left(entry, now)
    return left is not None and 0 <= left <= _DUE_WITHIN and entry.kept_in is not Section.ARCHIVED


def _fitting_lines(lines: Iterable[str], room: int) -> list[str]:
    """Return the lines that fit one after the other."""
    chosen: list[str] = []
    for line in lines:
        cost = estimate_tokens(line) + 1
        if cost <= room:
            room -= cost
            chosen.append(line)
    return chosen


def _instruction_line(entry: Entry, language: Language) -> str:
    until = _UNTIL[language].format(day=f"{last_day(entry.expires_at):%Y-%m-%d}") if entry.expires_at else ""
    return (
        f"- {_one_line(entry.content)} ({shown_date(entry.created_at or entry.last_activated)}, id {entry.id}{until})"
    )


def _fact_line(entry: Entry, language: Language, now: datetime) -> str:
    return f"- {_one_line(entry.content)}{_validity(entry, language, now)}{_quotation(entry, language)}"


def _one_line(text: str) -> str:
    return neutralise(" ".join(text.split()))


def _quotation(entry: Entry, language: Language) -> str:
    """Return the user's own words and their day, where they say more: so a distortion of them can be seen."""
    if not entry.shown_quote:
        return ""
    quote = _one_line(entry.shown_quote)
    day = f"{entry.quoted_on:%Y-%m-%d}" if entry.quoted_on else ""
    return f"（{day} 原话：“{quote}”）" if language == "zh" else f' (said{" " + day if day else ""}: "{quote}")'


def _validity(entry: Entry, language: Language, now: datetime) -> str:
    """Return until when an entry holds, where its text does not say it, and that it is due."""
    left = _days_left(entry, now)
    if left is None or entry.expires_at is None:
        return ""
    day = f"{last_day(entry.expires_at):%Y-%m-%d}"
    due = _DUE[language][left] if 0 <= left < len(_DUE[language]) else ""
    shown = due.lstrip(" ,，") if day in entry.content else f"{day}{due}"
    return (f"（{shown}）" if language == "zh" else f" ({shown})") if shown else ""
