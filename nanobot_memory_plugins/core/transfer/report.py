"""What became of an import: what was taken, by kind, what was there already, what was left and why."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

# What can be taken.
KINDS = ("messages", "notes", "entries", "files")
# Lines that are named one by one for one reason in one file; the count goes on.
_LINES_NAMED = 20


@dataclass(slots=True)
class LeftBehind:
    """What was left in one file for one reason. ``lines`` names the first few."""

    file: str
    why: str
    count: int = 0
    lines: list[int] = field(default_factory=list)


@dataclass(slots=True)
class ImportReport:
    """The report of one import. ``notices`` are remarks on the whole of it, ``remarks`` the files of each remark."""

    format: str
    label: str
    source: str
    dry_run: bool = False
    taken: Counter[str] = field(default_factory=Counter)
    known: int = 0
    left: dict[tuple[str, str], LeftBehind] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    written: Counter[str] = field(default_factory=Counter)
    remarks: dict[str, list[str]] = field(default_factory=dict)

    def took(self, kind: str, name: str, count: int) -> None:
        """Count what was written to a file below the memory folder: ``kind`` is one of `KINDS`."""
        self.taken[kind] += count
        self.written[f"memory/{name}"] += count

    def leave(self, why: str, file: str, line: int = 0) -> None:
        """Count something that was not taken."""
        row = self.left.setdefault((file, why), LeftBehind(file, why))
        row.count += 1
        if line and len(row.lines) < _LINES_NAMED:
            row.lines.append(line)

    def as_json(self) -> dict[str, Any]:
        """Return the report for programs."""
        return {
            "ok": True,
            "format": self.format,
            "source": self.source,
            "dry_run": self.dry_run,
            "taken": {kind: self.taken[kind] for kind in KINDS},
            "known": self.known,
            "left": [
                {"file": row.file, "why": row.why, "count": row.count, "lines": row.lines} for row in self.left.values()
            ],
            "written": [{"file": file, "records": count} for file, count in self.written.items()],
            "notices": self.notices,
            "remarks": self.remarks,
        }
