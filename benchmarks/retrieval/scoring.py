"""The figures of a run from the scorer next to the sets, and their printing.

Without a scorer, `plain.count_found` returns two of them.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.retrieval.datasets import LEFT_OUT

COLUMNS = ("R@5", "R@10", "hit@5", "hit@10", "MRR", "B800", "B1800", "save", "E", "Esave")
COMPARED = ("R@10", "B800", "B1800")
"""What decides whether one system is ahead of another."""

APART = {
    "summarization": "summarisation",
    "event_ordering": "event order",
    "instruction_following": "instruction following",
}
"""Categories that a list of memories answers in part at best, and what they are called where they stand apart."""

_REST = "all others"
_OF_INJECTION = {"E", "Esave"}
_LABEL_WIDTH = 26
_WIDTH = 8


@dataclass(frozen=True, slots=True)
class Row:
    """One system's figures on one set. ``is_peer`` means that ours should be ahead of it.

    ``parts`` are the figures of the questions in separate categories, and of all others, if a set has such questions.
    """

    label: str
    figures: Mapping[str, float]
    is_peer: bool = False
    names_injected: bool = True
    parts: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def has_scorer(folder: Path) -> bool:
    """Return whether a set has a scorer."""
    return (folder.parent / "score.py").exists()


def score(folder: Path, run: Path) -> dict[str, float]:
    """Return the figures of a run, as means over the questions that have an answer."""
    return _scored(folder, run)["all"]


def score_apart(folder: Path, run: Path) -> dict[str, dict[str, float]]:
    """Return the figures of the questions in each category of `APART` that the set has, and of all others.

    Each has the number of its questions as ``n``. A set without such questions has no parts.
    """
    found = _scored(folder, run, "--by-category")
    parts = {name: found[category] for category, name in APART.items() if category in found}
    if not parts:
        return {}
    everything = found["all"]
    left = everything["n"] - sum(part["n"] for part in parts.values())
    if left:
        parts[_REST] = {"n": left} | {
            column: (everything[column] * everything["n"] - sum(part[column] * part["n"] for part in parts.values()))
            / left
            for column in COLUMNS
        }
    return parts


def _scored(folder: Path, run: Path, *more: str) -> dict[str, dict[str, float]]:
    command = [sys.executable, str(folder.parent / "score.py"), str(folder), str(run), "--skip", LEFT_OUT, "--json"]
    found: dict[str, dict[str, float]] = json.loads(subprocess.check_output([*command, *more]))
    return found


def names_injected(run: Path) -> bool:
    """Return whether a run contains the ids to inject."""
    lines = run.read_text(encoding="utf-8").splitlines()
    return any(json.loads(line)["injected"] for line in lines)


def heading() -> str:
    """Return the line above the rows."""
    return " " * (_LABEL_WIDTH + 2) + "".join(f"{column:>{_WIDTH}}" for column in COLUMNS)


def format_row(row: Row) -> str:
    """Return the lines of a row with its parts. A dash means unknown."""
    return "\n".join(_lines(row))


def _lines(row: Row) -> Iterator[str]:
    yield _line(row.label, row.figures, names_injected=row.names_injected)
    for name, figures in row.parts.items():
        yield _line(f"  {name} ({figures['n']:.0f})", figures, names_injected=row.names_injected)


def _line(label: str, figures: Mapping[str, float], *, names_injected: bool) -> str:
    known = [column in figures and (names_injected or column not in _OF_INJECTION) for column in COLUMNS]
    cells = (f"{figures[column]:.3f}" if is_known else "-" for column, is_known in zip(COLUMNS, known, strict=True))
    return f"  {label:<{_LABEL_WIDTH}}" + "".join(f"{cell:>{_WIDTH}}" for cell in cells)


def verdict(ours: Row, others: Sequence[Row]) -> str:
    """Return the line that says whether ``ours`` is ahead of every peer, or where it is not."""
    peers = [row for row in others if row.is_peer]
    if not peers:
        return "  no peer ran"
    parts = []
    for column in COMPARED:
        best = max(peers, key=lambda row: row.figures[column])
        mine, theirs = ours.figures[column], best.figures[column]
        word = "ahead" if mine > theirs else "level" if mine == theirs else "BEHIND"
        parts.append(f"{column} {word} ({mine:.3f}, best peer {best.label} {theirs:.3f})")
    is_ahead = all(ours.figures[column] >= row.figures[column] for column in COMPARED for row in peers)
    return f"  {'ahead of or level with' if is_ahead else 'NOT ahead of'} every peer: " + "; ".join(parts)
