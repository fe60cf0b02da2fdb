"""Standing instructions as they stand in the system prompt: the user's own words, each with its day and its id."""

from collections.abc import Iterable
from typing import Literal

from nanobot_memory_plugins.consolidation.model.entry import INSTRUCTION, Entry, Section
from nanobot_memory_plugins.consolidation.store.entry_text import shown_date
from nanobot_memory_plugins.core import Origin
from nanobot_memory_plugins.core.text.fence import neutralise

MOST_INSTRUCTIONS = 10

HEADINGS: dict[Literal["zh", "en"], str] = {
    "zh": "用户要求过（原话）：",
    "en": "The user has asked for, in their words:",
}
_UNTIL: dict[Literal["zh", "en"], str] = {"zh": "，到{day}为止", "en": ", until {day}"}


def in_force(entries: Iterable[Entry]) -> list[Entry]:
    """Return the instructions that hold, oldest first; of too many the newest.

    None that only a model, a tool or a page has said is among them.
    """
    holding = [
        one
        for one in entries
        if one.kind == INSTRUCTION
        and one.origin is Origin.USER
        and one.section is Section.ACTIVE
        and not one.superseded_by
    ]
    return sorted(holding, key=lambda one: (one.created_at or one.last_activated, one.id))[-MOST_INSTRUCTIONS:]


def instruction_line(entry: Entry, language: Literal["zh", "en"]) -> str:
    """Return the line of an instruction."""
    until = _UNTIL[language].format(day=shown_date(entry.expires_at)) if entry.expires_at else ""
    day = shown_date(entry.created_at or entry.last_activated)
    return f"- {neutralise(' '.join(entry.content.split()))} ({day}, id {entry.id}{until})"
