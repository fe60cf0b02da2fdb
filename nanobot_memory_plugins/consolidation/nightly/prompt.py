"""The one prompt of a consolidation: short, in the language of its users, inside a budget of tokens."""

from collections.abc import Iterable
from datetime import date

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section
from nanobot_memory_plugins.consolidation.nightly.material import UNTRUSTED, Material
from nanobot_memory_plugins.consolidation.templates import CONSOLIDATION
from nanobot_memory_plugins.core import Message, estimate_tokens
from nanobot_memory_plugins.core.files.prompts import Prompts
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.text.conversation import dated, dominant_language, excerpt
from nanobot_memory_plugins.core.text.fence import Language

# Tokens of one note, message or passage that are shown, and of one entry.
_PIECE_TOKENS, _ENTRY_TOKENS = 240, 120
# Of the room, what each part may take while the parts after it have more than fits.
_SHARES = {"rest": 0.15, "entries": 0.4, "said": 0.25, "notes": 0.0}
# Entries that are shown, however short they are: more than a small model can look through.
_MOST_ENTRIES = 100

_REST: dict[Language, str] = {"en": "# OTHER TEXT\n{}\n", "zh": "# 其他文字\n{}\n"}
_STATES: dict[Language, tuple[str, str]] = {"en": ("archived", "replaced"), "zh": ("已归档", "已被取代")}


def make_prompt(
    material: Material, prompts: Prompts, *, today: date, tokens: int
) -> tuple[list[dict[str, str]], dict[str, Entry]]:
    """Return the prompt for one call, about ``tokens`` estimated tokens at most, and the entries that it shows.

    What was said last, the newest notes and the highest entries come first. What does not fit is left out.
    """
    records = (*material.notes, *material.said)
    texts = [*(entry.content for entry in material.entries.values()), *(record.text for record in records)]
    language = dominant_language([Message("user", text) for text in texts])
    empty = {**dict.fromkeys(_SHARES, ""), "day": dated(today, language)}
    fixed = prompts.rendered(CONSOLIDATION, language, empty)
    ranked = _ranked(material.entries.values())[:_MOST_ENTRIES]
    lines = {
        "rest": [_record_line(text) for text in material.texts],
        "entries": [_entry_line(entry, language) for entry in ranked],
        "said": [_record_line(message) for message in reversed(material.said)],
        "notes": [_record_line(note) for note in reversed(material.notes)],
    }
    shown = _fitting_lines(lines, tokens - 24 - sum(estimate_tokens(message["content"]) for message in fixed))
    values = {name: "\n".join(part) for name, part in shown.items()}
    if values["rest"]:
        values["rest"] = _REST[language].format(values["rest"])
    entries = {entry.id: entry for entry in ranked if _entry_line(entry, language) in shown["entries"]}
    return prompts.rendered(CONSOLIDATION, language, {**empty, **values}), entries


def _fitting_lines(lines: dict[str, list[str]], room: int) -> dict[str, list[str]]:
    """Return the lines of each part that fit: its share of the room, or more where the parts after it need less."""
    shown: dict[str, list[str]] = {}
    remaining, needed = room, sum(_cost(line) for part in lines.values() for line in part)
    for name, part in lines.items():
        needed -= sum(map(_cost, part))
        share = min(remaining, max(int(room * _SHARES[name]), remaining - needed))
        remaining -= share
        shown[name] = []
        for line in part:
            if _cost(line) <= share:
                share -= _cost(line)
                shown[name].append(line)
        remaining += share
    return shown


def _ranked(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries that the model may work on: active ones first, each by its score."""
    good = [entry for entry in entries if entry.origin not in UNTRUSTED]
    return sorted(
        good, key=lambda entry: (entry.section is Section.ARCHIVED, bool(entry.superseded_by), -entry.score, entry.id)
    )


def _entry_line(entry: Entry, language: Language) -> str:
    archived, replaced = _STATES[language]
    state = replaced if entry.superseded_by else archived if entry.section is Section.ARCHIVED else ""
    about = [entry.category, entry.last_activated.date().isoformat(), f"{entry.score:.2f}", state]
    return f"[{entry.id}] ({', '.join(filter(None, about))}) {excerpt(_flat(entry.content), _ENTRY_TOKENS)}"


def _record_line(record: TranscriptRecord) -> str:
    # On one line: a heading inside the material would look like one of the prompt's.
    day = f"{record.time.astimezone():%Y-%m-%d} " if record.time is not None else ""
    return f"- {day}{excerpt(_flat(record.text), _PIECE_TOKENS)}"


def _flat(text: str) -> str:
    return " ".join(text[: 8 * _PIECE_TOKENS * 4].split())


def _cost(line: str) -> int:
    return estimate_tokens(line) + 1
