"""Secrets that are found later, taken out of what was written before: first the files, then what is made of them."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from nanobot_memory_plugins.core.erasure.file_parts import (
    encoded,
    head_lines,
    note_parts,
    row_bytes,
    row_of,
    with_texts,
)
from nanobot_memory_plugins.core.erasure.rewriting import files_below, is_copy, is_left_behind, is_temporary, rewrite
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.notes import NoteEntry
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.values import Origin
from nanobot_memory_plugins.redaction.rules.rule import PLACEHOLDER
from nanobot_memory_plugins.redaction.script.messages import Sentence

Redact = Callable[[str], str]
_FOREIGN = "text of yours; --everywhere removes them, too"
_GIT = "git keeps what the files were; its history is not rewritten here"


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """What was found in a file, which is named relative to the workspace.

    ``kinds`` counts the placeholders that were put in, by their names in lower case (``api_key``, ``email``).
    ``removed`` says that the secrets are gone, or would be, when nothing is to be written; where they stay, ``why``
    says why.
    """

    where: str
    kinds: Mapping[str, int] = field(default_factory=dict)
    removed: bool = True
    why: str = ""


@dataclass(frozen=True, slots=True)
class ScrubbedBytes:
    """The bytes without secrets, what was found in what is ours, and what stays in text of people."""

    data: bytes
    found: Counter[str] = field(default_factory=Counter)
    foreign: Counter[str] = field(default_factory=Counter)


Cleaner = Callable[[bytes], ScrubbedBytes]


def scrub_files(
    paths: MemoryPaths,
    redact: Redact,
    tools: Redact,
    special: Callable[[Path], Cleaner | None],
    *,
    dry_run: bool,
    everywhere: bool,
) -> list[Scrubbed]:
    """Take secrets out of every file of ours. It blocks.

    ``tools`` is for notes of what tools said. ``special`` knows how files of a form of their own are cleaned. Each file
    is replaced in one step: whoever breaks this off can begin again. What cannot be written is reported and stays.
    """
    reports: list[Scrubbed] = []
    for path in sorted(files_below(paths)):
        where = paths.relative(path)
        try:
            clean = special(path) or cleaner_of(path.name, redact, tools, everywhere=everywhere or is_temporary(path))
            reports += _scrub_file(paths, path, where, clean, dry_run)
        except FileNotFoundError:
            continue  # it has been replaced meanwhile
        except (OSError, MemoryFileError) as error:
            why = error.cause if isinstance(error, MemoryFileError) else type(error).__name__
            reports.append(Scrubbed(where, removed=False, why=Sentence("it cannot be cleaned: {why}", why=why)))
    if reports and any((folder / ".git").exists() for folder in (paths.workspace, paths.memory)):
        reports.append(Scrubbed(".git", removed=False, why=_GIT))
    return reports


def cleaner_of(file_name: str, redact: Redact, tools: Redact, *, everywhere: bool) -> Cleaner:
    """Return what takes the secrets out of a memory file of that name; ``everywhere``, out of people's text, too.

    ``tools`` is for notes of what tools said.
    """
    name = file_name.removesuffix(".bak")
    if name.endswith((".jsonl", ".json")):
        return partial(clean_rows, redact=redact)
    if ".md" in name:
        return partial(clean_notes, redact=redact, tools=tools, everywhere=everywhere)
    return partial(clean_text, redact=redact)


def total(reports: list[Scrubbed]) -> Counter[str]:
    """Return what was found in all, by kind, but for what stays."""
    counts: Counter[str] = Counter()
    for report in reports:
        if report.removed:
            counts.update(report.kinds)
    return counts


def redacted(text: str, redact: Redact, found: Counter[str]) -> str:
    """Return ``text`` redacted, and count in ``found`` what was put in."""
    safe = redact(text)
    if safe != text:
        new = Counter(_placeholders(safe)) - Counter(_placeholders(text))
        found.update(new or {"redacted": 1})
    return safe


def clean_rows(data: bytes, redact: Redact) -> ScrubbedBytes:
    """Return lines of JSON, or one JSON document, without secrets in their texts; a line that is no JSON, as text."""
    found: Counter[str] = Counter()

    def clean(line: bytes) -> bytes:
        try:
            row = row_of(line)
        except ValueError:
            safe = clean_text(line, redact)
            found.update(safe.found)
            return safe.data
        cleaned = with_texts(row, lambda text: redacted(text, redact, found))
        return line if cleaned == row else row_bytes(cleaned)

    return ScrubbedBytes(b"\n".join(clean(line) if line.strip() else line for line in data.split(b"\n")), found)


def clean_notes(data: bytes, redact: Redact, *, everywhere: bool, tools: Redact | None = None) -> ScrubbedBytes:
    """Return a Markdown file without secrets in its structured notes; ``everywhere``, in people's text, too.

    ``tools`` is for the notes of what tools and pages said.
    """
    found: Counter[str] = Counter()
    foreign: Counter[str] = Counter()
    parts: list[bytes] = []
    for part, raw, text in note_parts(data):
        if isinstance(part, NoteEntry) and part.id:
            is_tools = part.origin in (Origin.TOOL, Origin.WEB)
            safe = _clean_note(text, tools if tools and is_tools else redact, found)
        else:
            safe = redacted(text, redact, found if everywhere else foreign)
            safe = safe if everywhere else text
        parts.append(raw if safe == text else encoded(safe))
    return ScrubbedBytes(b"".join(parts), found, foreign)


def clean_text(data: bytes, redact: Redact) -> ScrubbedBytes:
    """Return a text without secrets."""
    found: Counter[str] = Counter()
    text = data.decode("utf-8", "surrogateescape")
    safe = redacted(text, redact, found)
    return ScrubbedBytes(data if safe == text else encoded(safe), found)


def _scrub_file(paths: MemoryPaths, path: Path, where: str, clean: Cleaner, dry_run: bool) -> list[Scrubbed]:
    first = clean(read_regular(path))
    reports = [Scrubbed(where, dict(first.foreign), removed=False, why=_FOREIGN)] if first.foreign else []
    if not first.found:
        return reports
    if is_temporary(path):
        if not is_left_behind(paths, path):
            return []  # it is being written now
        if not dry_run:
            path.unlink()
    elif not dry_run:
        rewrite(paths, path, lambda data: clean(data).data)
    # A copy holds what its file held: it is counted there.
    return [Scrubbed(where, {} if is_copy(path) else dict(first.found)), *reports]


def _placeholders(text: str) -> list[str]:
    return [match.group().strip("[]").lower() for match in PLACEHOLDER.finditer(text)]


def _clean_note(text: str, redact: Redact, found: Counter[str]) -> str:
    """Redact a note, but for the lines of its head with its id and its owner."""
    pieces: list[str] = []
    at = 0
    for start, end in head_lines(text):
        pieces += [redacted(text[at:start], redact, found), text[start:end]]
        at = end
    return "".join([*pieces, redacted(text[at:], redact, found)])
