"""What is wrong with notes that were imported: nobody has looked through them yet. Nothing is written.

Hundreds of notes come with one import, and are recalled like those of the agent.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from nanobot_memory_plugins.consolidation.cli.audit import FaultKind, junk_in
from nanobot_memory_plugins.consolidation.model.redacted_content import is_point_hidden
from nanobot_memory_plugins.core.cli.console import shown
from nanobot_memory_plugins.core.files import MemoryPaths, NoteEntry, parse_notes, read_regular
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

KINDS = (FaultKind.JUNK, FaultKind.HIDDEN, FaultKind.NEAR_DUPLICATE)
# What every importer of ours tags its notes with.
_TAG = "imported"
# Faults that are shown without --all.
_SHOWN, _TEXT = 10, 100


@dataclass(frozen=True, slots=True)
class NoteFault:
    """One fault of one imported note, and where the note stands."""

    kind: FaultKind
    id: str
    file: str
    line: int
    text: str
    why: str

    @property
    def hint(self) -> str:
        """What helps: notes are Markdown, and a note's lines may be deleted by hand at any time."""
        return f"delete the note at {self.file}:{self.line}, or take the import back: nanobot-memory import --undo"


@dataclass(frozen=True, slots=True)
class NotesAudit:
    """What was found in so many imported notes."""

    notes: int
    faults: tuple[NoteFault, ...]

    def rates(self) -> dict[str, float]:
        """Return for each kind of fault the share of the notes that have it, 0 to 1."""
        whole = self.notes or 1
        return {kind.value: sum(fault.kind is kind for fault in self.faults) / whole for kind in KINDS}

    def as_json(self, kinds: Collection[FaultKind]) -> dict[str, Any]:
        """Return it for programs; with ``kinds`` only faults of these."""
        rows = [
            {
                "kind": fault.kind.value,
                "id": fault.id,
                "file": fault.file,
                "line": fault.line,
                "text": fault.text,
                "why": fault.why,
                "hint": fault.hint,
            }
            for fault in self.faults
            if not kinds or fault.kind in kinds
        ]
        shares = {name: round(rate, 4) for name, rate in self.rates().items()}
        return {"notes": self.notes, "rates": shares, "faults": rows}

    def show(self, out: Console, kinds: Collection[FaultKind], *, everything: bool) -> None:
        """Show it for people: the shares, and the first faults, or all of them."""
        if not self.notes:
            return
        shares = ", ".join(f"{tr(name)} {rate:.0%}" for name, rate in self.rates().items())
        out.print(tr("\n{notes:,} imported notes: {shares}.", notes=self.notes, shares=shares))
        listed = [fault for fault in self.faults if not kinds or fault.kind in kinds]
        most = len(listed) if everything else _SHOWN
        for fault in listed[:most]:
            text = fault.text if len(fault.text) <= _TEXT else f"{fault.text[: _TEXT - 1]}…"
            out.print(f"[bold]{shown(fault.file)}:{fault.line}[/bold]  {tr(fault.kind.value)}: {shown(tr(fault.why))}")
            out.print(f"    {shown(text)}")
        if listed:
            told = tr("Delete a note's lines by hand, or take the import back: nanobot-memory import --undo.")
            out.print(told, style="italic")
            if len(listed) > most:
                more = tr("The first {most} of {count:,} are shown; --all shows each.", most=most, count=len(listed))
                out.print(more, style="italic")


def audit_notes(paths: MemoryPaths) -> NotesAudit:
    """Look through the imported notes of a memory that are still there. It blocks; unreadable files have none."""
    found = list(_notes(paths))
    return NotesAudit(len(found), tuple(_faults(found)))


def _notes(paths: MemoryPaths) -> Iterator[tuple[str, NoteEntry]]:
    for path in sorted(paths.memory.glob("*.md")):
        try:
            data = read_regular(path)
        except OSError:
            continue
        if _TAG.encode() not in data:
            continue
        for part in parse_notes(data):
            if isinstance(part, NoteEntry) and _TAG in part.tags:
                yield paths.relative(path), part


def _faults(found: Sequence[tuple[str, NoteEntry]]) -> Iterator[NoteFault]:
    first: defaultdict[str, str] = defaultdict(str)
    for file, note in found:
        text = " ".join((note.details or note.tldr).split())
        where = f"{file}:{note.line}"
        if why := junk_in(text):
            yield NoteFault(FaultKind.JUNK, note.id, file, note.line, text, why)
        elif is_point_hidden(text):
            yield NoteFault(FaultKind.HIDDEN, note.id, file, note.line, text, Sentence("what it is about is hidden"))
        elif first[text.casefold()]:
            why = Sentence("says what {where} says", where=first[text.casefold()])
            yield NoteFault(FaultKind.NEAR_DUPLICATE, note.id, file, note.line, text, why)
        else:
            first[text.casefold()] = where
