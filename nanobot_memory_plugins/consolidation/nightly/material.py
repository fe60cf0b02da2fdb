"""The material of a consolidation (day notes, transcripts, entries, people's long-term text), and its prompt.

Only users' messages make an entry the user's own. Text from tools and the web is left out, as are background sessions
and messages that are hidden with a forgotten entry.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from nanobot_memory_plugins.consolidation.prompt import fitting_lines
from nanobot_memory_plugins.core import Message, Origin, Scope, estimate_tokens, logger
from nanobot_memory_plugins.core.files.entry_lines import hidden_records
from nanobot_memory_plugins.core.files.notes import Passage, parse_notes
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_inside
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, recent_records
from nanobot_memory_plugins.core.language_model.prompts import PromptFile, wishes_text
from nanobot_memory_plugins.core.text.conversation import day_label, dominant_language, excerpt
from nanobot_memory_plugins.core.text.fence import Language
from nanobot_memory_plugins.core.text.pasted import text_to_assistant
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.core.values.entries import Entry, Section

_CONSOLIDATION = PromptFile(Path(__file__).parents[1] / "templates", "consolidation")
# The most messages in all, and of one session; characters that are read of one message.
_MESSAGES, _SESSION_MESSAGES, _CHARACTERS = 400, 200, 4_000
UNTRUSTED = frozenset({Origin.TOOL, Origin.WEB})

# Tokens shown of one note, message or passage, and of one entry; the most entries that are shown, since a small model
# cannot handle more.
_PIECE_TOKENS, _ENTRY_TOKENS, _MOST_ENTRIES = 240, 120, 100
# The share that each part may take of the tokens that the parts before it left.
_SHARES = {"rest": 0.15, "entries": 0.5, "notes": 0.5, "said": 1.0}
_REST: dict[Language, str] = {"en": "# OTHER TEXT\n{}\n", "zh": "# 其他文字\n{}\n"}
_STATES: dict[Language, tuple[str, str]] = {"en": ("archived", "replaced"), "zh": ("已归档", "已被取代")}

# Text that contains only headings, or nothing.
_HEADINGS = re.compile(r"(?:\s*#{1,6}(?:[ \t][^\n]*)?(?:\n|\Z))*\s*")

Redact = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Material:
    """What a consolidation reads, or the part of it for one model call: all that the same viewers may see.

    ``notes`` of the days, people's ``texts`` and users' ``messages`` are records, oldest first; the origin of a
    record is the user or the assistant.
    """

    visible: Visibility
    entries: dict[str, Entry] = field(default_factory=dict)
    notes: list[TranscriptRecord] = field(default_factory=list)
    texts: list[TranscriptRecord] = field(default_factory=list)
    messages: list[TranscriptRecord] = field(default_factory=list)

    def is_worth_asking(self, since: datetime | None) -> bool:
        """Return whether there is anything to consolidate that was written, said or used since a moment."""
        if not (self.notes or self.texts or self.messages or len(self.entries) > 1):
            return False
        return (
            since is None
            or any(_time_of(record) >= since for record in (*self.notes, *self.messages))
            or any(entry.last_activated > since for entry in self.entries.values())
        )


def group_by_viewer(
    read: Material, entries: Mapping[str, Entry], narrow: Callable[[Scope], Visibility]
) -> dict[Visibility, Material]:
    """Return the material and entries grouped by visibility: scopes that see the same memories share one."""
    found: dict[Visibility, Material] = {}

    def material_of(scope: Scope) -> Material:
        # Projects do not separate people: what a person said in two projects is read together.
        visible = replace(narrow(scope), project="")
        return found.setdefault(visible, Material(visible))

    for entry in entries.values():
        material_of(entry.session_scope).entries[entry.id] = entry
    for note in read.notes:
        material_of(note.scope).notes.append(note)
    for text in read.texts:
        material_of(text.scope).texts.append(text)
    for record in read.messages:
        material_of(record.scope).messages.append(record)
    return found


def read_material(
    paths: MemoryPaths, foreign: bytes, *, now: datetime, days: int, redact: Redact, background: Sequence[str]
) -> Material:
    """Read the notes and transcripts of the last ``days`` days, today included, and the long-term text. Blocking.

    ``foreign`` is people's text in the entries' file, ``background`` are the key prefixes of background sessions. Days
    are in the machine's time zone. Unreadable files are left out with a warning.
    """
    today = now.astimezone().date()
    midnights = [datetime.combine(today - timedelta(days=back), time()).astimezone() for back in range(days)]
    notes = [record for day in midnights for record in _records_in(_read_file(paths.day_note(day.date())), day, redact)]
    texts = [record for data in (foreign, _read_file(paths.long_term)) for record in _records_in(data, now, redact)]
    # A text that was noted several times is kept once, with its last time.
    newest = {(record.text, record.scope): record for record in sorted(notes, key=_time_of)}
    messages = _messages_since(paths, midnights[-1], redact, tuple(background))
    return Material(Visibility(), notes=sorted(newest.values(), key=_time_of), texts=texts, messages=messages)


def _time_of(record: TranscriptRecord) -> datetime:
    assert record.time is not None  # noqa: S101  # notes and messages have a time
    return record.time


def _records_in(data: bytes, when: datetime, redact: Redact) -> Iterator[TranscriptRecord]:
    """Yield the notes and passages of a file; ``when`` is the time of passages, which have none."""
    for part in parse_notes(data):
        if isinstance(part, Passage):
            record = make_record(redact(part.text).strip(), Origin.USER, Scope(), when)
        elif part.origin in UNTRUSTED or not part.searchable:
            continue
        else:
            written = part.time if part.time.tzinfo is not None else part.time.replace(tzinfo=UTC)
            text = "\n".join(filter(None, (part.tldr, part.details)))
            record = make_record(redact(text).strip(), part.origin, part.scope, written)
        if not _HEADINGS.fullmatch(record.text):
            yield record


def make_record(text: str, origin: Origin, scope: Scope, when: datetime) -> TranscriptRecord:
    """Return a record that can be quoted; every origin other than the user counts as the assistant."""
    by = Origin.USER if origin is Origin.USER else Origin.ASSISTANT
    return TranscriptRecord(by.value, text, scope.session, scope, by, time=when)


def _messages_since(
    paths: MemoryPaths, since: datetime, redact: Redact, background: tuple[str, ...]
) -> list[TranscriptRecord]:
    """Return users' messages since a moment, grouped by session; the newest when there are too many."""
    sessions: list[list[TranscriptRecord]] = []
    hidden = hidden_records(paths)
    for path in paths.sessions.glob("*.jsonl"):
        try:
            records = (
                recent_records(path, since, _SESSION_MESSAGES) if path.stat().st_mtime >= since.timestamp() else []
            )
        except OSError as error:
            logger.warning("consolidation: a transcript cannot be read: {}", type(error).__name__)
            continue
        messages = [
            replace(record, text=text)
            for record in records
            if record.id not in hidden
            and record.time is not None
            and record.role == "user"
            and record.origin is Origin.USER
            and not record.session_key.startswith(background)
            and (text := text_to_assistant(redact(record.text[: 2 * _CHARACTERS]))[:_CHARACTERS])
        ]
        if messages:
            sessions.append(messages)
    sessions.sort(key=lambda session: _time_of(session[-1]))
    return [record for session in sessions for record in session][-_MESSAGES:]


def _read_file(path: Path) -> bytes:
    try:
        return read_inside(path)
    except FileNotFoundError:
        return b""
    except OSError as error:
        logger.warning("consolidation: {} cannot be read: {}", path.name, type(error).__name__)
        return b""


def make_prompt(
    material: Material, wishes: str, *, today: date, tokens: int
) -> tuple[list[dict[str, str]], dict[str, Entry]]:
    """Return the prompt for one call, of about ``tokens`` estimated tokens at most, and the entries that it shows.

    The newest messages and notes and the entries with the highest scores come first. What does not fit is left out.
    """
    records = (*material.notes, *material.messages)
    texts = [*(entry.content for entry in material.entries.values()), *(record.text for record in records)]
    language = dominant_language([Message("user", text) for text in texts])
    empty = {**dict.fromkeys(_SHARES, ""), "day": day_label(today, language), "wishes": wishes_text(wishes, language)}
    fixed = _CONSOLIDATION.fill(language, empty)
    ranked = _rank_entries(material.entries.values())[:_MOST_ENTRIES]
    lines = {
        "rest": [_record_line(text) for text in material.texts],
        "entries": [_entry_line(entry, language) for entry in ranked],
        "notes": [_record_line(note) for note in reversed(material.notes)],
        "said": [_record_line(message) for message in reversed(material.messages)],
    }
    room = tokens - 24 - sum(estimate_tokens(message["content"]) for message in fixed)
    for name, part in lines.items():
        lines[name] = fitting_lines(part, int(room * _SHARES[name]))
        room -= sum(estimate_tokens(line) + 1 for line in lines[name])
    values = {name: "\n".join(part) for name, part in lines.items()}
    if values["rest"]:
        values["rest"] = _REST[language].format(values["rest"])
    entries = {entry.id: entry for entry in ranked if _entry_line(entry, language) in lines["entries"]}
    return _CONSOLIDATION.fill(language, {**empty, **values}), entries


def _rank_entries(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries that the model may change: active ones first, by descending score."""
    trusted = [entry for entry in entries if entry.origin not in UNTRUSTED]
    return sorted(
        trusted,
        key=lambda entry: (entry.section is Section.ARCHIVED, bool(entry.superseded_by), -entry.score, entry.id),
    )


def _entry_line(entry: Entry, language: Language) -> str:
    archived, replaced = _STATES[language]
    state = replaced if entry.superseded_by else archived if entry.section is Section.ARCHIVED else ""
    about = [entry.category, entry.last_activated.date().isoformat(), f"{entry.score:.2f}", state]
    return f"[{entry.id}] ({', '.join(filter(None, about))}) {excerpt(_one_line(entry.content), _ENTRY_TOKENS)}"


def _record_line(record: TranscriptRecord) -> str:
    # On one line: a heading in the material would look like a heading of the prompt.
    day = f"{record.time.astimezone():%Y-%m-%d} " if record.time is not None else ""
    return f"- {day}{excerpt(_one_line(record.text), _PIECE_TOKENS)}"


def _one_line(text: str) -> str:
    return " ".join(text[: 8 * _PIECE_TOKENS * 4].split())
