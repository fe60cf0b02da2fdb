"""What a consolidation reads (notes and transcripts of days, entries, people's long-term text), and the prompt of it.

Only what users said makes an entry the user's. What tools and the web said is left out, as are sessions that nobody
speaks in, and messages that are hidden with a forgotten entry.
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
# Messages of all sessions, and of one; characters of one message that are looked at.
_MESSAGES, _OF_SESSION, _CHARACTERS = 400, 200, 4_000
UNTRUSTED = frozenset({Origin.TOOL, Origin.WEB})

# Tokens of one note, message or passage that are shown, and of one entry; entries that are shown, however short they
# are: more than a small model can look through.
_PIECE_TOKENS, _ENTRY_TOKENS, _MOST_ENTRIES = 240, 120, 100
# The share that each part may take of the room that those before it have left.
_SHARES = {"rest": 0.15, "entries": 0.5, "notes": 0.5, "said": 1.0}
_REST: dict[Language, str] = {"en": "# OTHER TEXT\n{}\n", "zh": "# 其他文字\n{}\n"}
_STATES: dict[Language, tuple[str, str]] = {"en": ("archived", "replaced"), "zh": ("已归档", "已被取代")}

# Text that holds nothing but headings, or nothing at all.
_HEADINGS = re.compile(r"(?:\s*#{1,6}(?:[ \t][^\n]*)?(?:\n|\Z))*\s*")

Redact = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Material:
    """What a consolidation reads, or one call of the model: what those have in common who may see the same.

    ``notes`` of the days, ``texts`` of people's and what users ``said`` are records, oldest first; the origin of one is
    the user, or else the assistant.
    """

    visible: Visibility
    entries: dict[str, Entry] = field(default_factory=dict)
    notes: list[TranscriptRecord] = field(default_factory=list)
    texts: list[TranscriptRecord] = field(default_factory=list)
    said: list[TranscriptRecord] = field(default_factory=list)

    def is_worth_asking(self, since: datetime | None) -> bool:
        """Return whether anything was noted, said or used since a moment, and there is something to compare it with."""
        if not (self.notes or self.texts or self.said or len(self.entries) > 1):
            return False
        return (
            since is None
            or any(_time(record) >= since for record in (*self.notes, *self.said))
            or any(entry.last_activated > since for entry in self.entries.values())
        )


def materials(
    read: Material, entries: Mapping[str, Entry], narrow: Callable[[Scope], Visibility]
) -> dict[Visibility, Material]:
    """Return entries and what was read by who may see it: the scopes that see the same memories make one material."""
    found: dict[Visibility, Material] = {}

    def of(scope: Scope) -> Material:
        # Projects are no borders between people: what one person said in two of them is looked at together.
        visible = replace(narrow(scope), project="")
        return found.setdefault(visible, Material(visible))

    for entry in entries.values():
        of(entry.session_scope).entries[entry.id] = entry
    for note in read.notes:
        of(note.scope).notes.append(note)
    for text in read.texts:
        of(text.scope).texts.append(text)
    for record in read.said:
        of(record.scope).said.append(record)
    return found


def read_material(
    paths: MemoryPaths, foreign: bytes, *, now: datetime, days: int, redact: Redact, background: Sequence[str]
) -> Material:
    """Read the notes and transcripts of the last ``days`` days, today included, and the long-term memory. It blocks.

    ``foreign`` is people's text in the entries' file, ``background`` holds the beginnings of the keys of sessions that
    nobody speaks in. Days are those of this machine. Files that cannot be read are left out, with a warning.
    """
    today = now.astimezone().date()
    midnights = [datetime.combine(today - timedelta(days=back), time()).astimezone() for back in range(days)]
    notes = [record for day in midnights for record in _records(_read_file(paths.day_note(day.date())), day, redact)]
    texts = [record for data in (foreign, _read_file(paths.long_term)) for record in _records(data, now, redact)]
    # The same words once, the last time that they were noted.
    newest = {(record.text, record.scope): record for record in sorted(notes, key=_time)}
    messages = _said_since(paths, midnights[-1], redact, tuple(background))
    return Material(Visibility(), notes=sorted(newest.values(), key=_time), texts=texts, said=messages)


def _time(record: TranscriptRecord) -> datetime:
    assert record.time is not None  # noqa: S101  # of notes it is known
    return record.time


def _records(data: bytes, when: datetime, redact: Redact) -> Iterator[TranscriptRecord]:
    """Yield the notes and passages of a file; ``when`` is the time of those that name none."""
    for part in parse_notes(data):
        if isinstance(part, Passage):
            record = of_words(redact(part.text).strip(), Origin.USER, Scope(), when)
        elif part.origin in UNTRUSTED or not part.searchable:
            continue
        else:
            made = part.time if part.time.tzinfo is not None else part.time.replace(tzinfo=UTC)
            text = "\n".join(filter(None, (part.tldr, part.details)))
            record = of_words(redact(text).strip(), part.origin, part.scope, made)
        if not _HEADINGS.fullmatch(record.text):
            yield record


def of_words(text: str, origin: Origin, scope: Scope, when: datetime) -> TranscriptRecord:
    """Return something that may be quoted; what is no user's word counts as the assistant's."""
    by = Origin.USER if origin is Origin.USER else Origin.ASSISTANT
    return TranscriptRecord(by.value, text, scope.session, scope, by, time=when)


def _said_since(
    paths: MemoryPaths, since: datetime, redact: Redact, background: tuple[str, ...]
) -> list[TranscriptRecord]:
    """Return what was said since a moment, session by session in their order, the newest of too much."""
    sessions: list[list[TranscriptRecord]] = []
    hidden = hidden_records(paths)
    for path in paths.sessions.glob("*.jsonl"):
        try:
            records = recent_records(path, since, _OF_SESSION) if path.stat().st_mtime >= since.timestamp() else []
        except OSError as error:
            logger.warning("consolidation: a transcript cannot be read: {}", type(error).__name__)
            continue
        spoken = [
            replace(record, text=text)
            for record in records
            if record.id not in hidden
            and record.time is not None
            and record.role == "user"
            and record.origin is Origin.USER
            and not record.session_key.startswith(background)
            and (text := text_to_assistant(redact(record.text[: 2 * _CHARACTERS]))[:_CHARACTERS])
        ]
        if spoken:
            sessions.append(spoken)
    sessions.sort(key=lambda spoken: _time(spoken[-1]))
    return [record for spoken in sessions for record in spoken][-_MESSAGES:]


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
    """Return the prompt for one call, about ``tokens`` estimated tokens at most, and the entries that it shows.

    What was said last, the newest notes and the highest entries come first. What does not fit is left out.
    """
    records = (*material.notes, *material.said)
    texts = [*(entry.content for entry in material.entries.values()), *(record.text for record in records)]
    language = dominant_language([Message("user", text) for text in texts])
    empty = {**dict.fromkeys(_SHARES, ""), "day": day_label(today, language), "wishes": wishes_text(wishes, language)}
    fixed = _CONSOLIDATION.fill(language, empty)
    ranked = _ranked(material.entries.values())[:_MOST_ENTRIES]
    lines = {
        "rest": [_record_line(text) for text in material.texts],
        "entries": [_entry_line(entry, language) for entry in ranked],
        "notes": [_record_line(note) for note in reversed(material.notes)],
        "said": [_record_line(message) for message in reversed(material.said)],
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
