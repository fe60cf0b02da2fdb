"""The one prompt of a consolidation: short, in the language of its users, inside a budget of tokens."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TypeVar

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section
from nanobot_memory_plugins.consolidation.nightly.inputs import UNTRUSTED, NightlyMaterial, NightlyPiece
from nanobot_memory_plugins.consolidation.nightly.spoken import shown_lines
from nanobot_memory_plugins.consolidation.templates import CONSOLIDATION
from nanobot_memory_plugins.core import Message, estimate_tokens
from nanobot_memory_plugins.core.files.prompts import Prompts
from nanobot_memory_plugins.core.text.conversation import dated, dominant_language, excerpt
from nanobot_memory_plugins.core.text.fence import Language

Shown = TypeVar("Shown")
# Tokens of one note, passage or entry that are shown.
_PIECE_TOKENS = 240
_ENTRY_TOKENS = 120
# Of the room, what entries and the rest may take at most while there are notes for it.
_ENTRIES_SHARE = 0.4
_REST_SHARE = 0.15
# Entries that are shown, however short they are: more than a small model can look through.
_MOST_ENTRIES = 100

_REST: dict[Language, str] = {"en": "# OTHER TEXT\n{}\n", "zh": "# 其他文字\n{}\n"}
_STATES: dict[Language, tuple[str, str]] = {"en": ("archived", "replaced"), "zh": ("已归档", "已被取代")}


@dataclass(frozen=True, slots=True)
class Prompt:
    """The chat messages, and the material as far as it was shown: only that can be worked on."""

    messages: list[dict[str, str]]
    shown: NightlyMaterial


def make_prompt(material: NightlyMaterial, prompts: Prompts, *, today: date, tokens: int) -> Prompt:
    """Return the prompt for one call, at most about ``tokens`` estimated tokens long, the task included.

    What was said last, the newest notes and the highest entries come first. What does not fit is left out.
    """
    language = _language(material)

    def filled(values: Mapping[str, str]) -> list[dict[str, str]]:
        empty = dict.fromkeys(("entries", "said", "notes", "rest"), "")
        return prompts.rendered(CONSOLIDATION, language, {**empty, "day": dated(today, language), **values})

    room = max(0, tokens - 24 - sum(estimate_tokens(one["content"]) for one in filled({})))
    rest = list(_fitting(((one, _note_line(one)) for one in material.rest), int(room * _REST_SHARE)))
    left = room - sum(_cost(line) for _, line in rest)
    notes = [(one, _note_line(one)) for one in material.notes]
    spoken = [(one, _said_line(one.time, line)) for one, line in shown_lines(material.spoken)]
    wanted = sum(_cost(line) for _, line in (*notes, *spoken))
    ranked = _ranked(material.entries.values())
    entries = list(_entries(ranked, max(int(room * _ENTRIES_SHARE), left - wanted), language))
    left -= sum(_cost(line) for _, line in entries)
    told = list(_fitting(spoken, max(left // 2, left - sum(_cost(line) for _, line in notes))))
    left -= sum(_cost(line) for _, line in told)
    noted = list(_fitting(notes, left))
    values = {
        "entries": _lines(entries),
        "said": _lines(told),
        "notes": _lines(noted),
        "rest": _REST[language].format(_lines(rest)) if rest else "",
    }
    shown = replace(
        material,
        notes=tuple(note for note, _ in noted),
        entries={entry.id: entry for entry, _ in entries},
        rest=tuple(piece for piece, _ in rest),
    )
    return Prompt(filled(values), shown)


def _lines(found: Iterable[tuple[object, str]]) -> str:
    return "\n".join(line for _, line in found)


def _language(material: NightlyMaterial) -> Language:
    texts = [one.text for one in material.spoken[::-1] if one.by_user]
    texts += [*(note.text for note in material.notes), *(entry.content for entry in material.entries.values())]
    return dominant_language([Message(role="user", text=text) for text in reversed(texts[:200])])


def _ranked(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries that the model may work on: active ones first, each by its score."""
    good = [entry for entry in entries if entry.origin not in UNTRUSTED]
    return sorted(good, key=lambda one: (one.section is Section.ARCHIVED, bool(one.superseded_by), -one.score, one.id))


def _entries(entries: Iterable[Entry], room: int, language: Language) -> Iterator[tuple[Entry, str]]:
    for number, entry in enumerate(entries):
        archived, replaced = _STATES[language]
        state = replaced if entry.superseded_by else archived if entry.section is Section.ARCHIVED else ""
        about = [entry.category, entry.last_activated.date().isoformat(), f"{entry.score:.2f}", state]
        line = f"[{entry.id}] ({', '.join(filter(None, about))}) {excerpt(_flat(entry.content), _ENTRY_TOKENS)}"
        room -= _cost(line)
        if room < 0 or number >= _MOST_ENTRIES:
            return
        yield entry, line


def _fitting(lines: Iterable[tuple[Shown, str]], room: int) -> Iterator[tuple[Shown, str]]:
    for one, line in lines:
        if _cost(line) <= room:
            room -= _cost(line)
            yield one, line


def _note_line(piece: NightlyPiece) -> str:
    # A heading inside the material would look like one of the prompt's.
    return f"- {piece.time.date().isoformat()} {excerpt(_flat(piece.text), _PIECE_TOKENS)}"


def _said_line(time: datetime, text: str) -> str:
    return f"- {time.astimezone().date().isoformat()} {excerpt(_flat(text), _PIECE_TOKENS)}"


def _flat(text: str) -> str:
    return " ".join(text[: 8 * _PIECE_TOKENS * 4].split())


def _cost(line: str) -> int:
    return estimate_tokens(line) + 1
