"""The figures of a run, made by the scorer that lies beside the sets, and how they are printed."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.retrieval.datasets import LEFT_OUT

COLUMNS = ("R@5", "R@10", "hit@5", "MRR", "B800", "B1800", "save", "E", "Esave")
COMPARED = ("R@10", "B800", "B1800")
"""What decides whether one system is ahead of another."""

_OF_INJECTION = {"E", "Esave"}
_LABEL_WIDTH = 26
_WIDTH = 8


@dataclass(frozen=True, slots=True)
class Row:
    """One system's figures on one set. ``is_peer`` when we are to be ahead of it."""

    label: str
    figures: Mapping[str, float]
    is_peer: bool = False
    names_injected: bool = True


def score(folder: Path, run: Path) -> dict[str, float]:
    """Return the figures of a run, as means over the questions that have an answer."""
    command = [sys.executable, str(folder.parent / "score.py"), str(folder), str(run), "--skip", LEFT_OUT, "--json"]
    figures: dict[str, float] = json.loads(subprocess.check_output(command))["all"]
    return figures


def names_injected(run: Path) -> bool:
    """Return whether a run says what would be injected."""
    lines = run.read_text(encoding="utf-8").splitlines()
    return any(json.loads(line)["injected"] for line in lines)


def heading() -> str:
    """Return the line above the rows."""
    return " " * (_LABEL_WIDTH + 2) + "".join(f"{column:>{_WIDTH}}" for column in COLUMNS)


def printed(row: Row) -> str:
    """Return a row as it is printed: a dash stands for what a run does not say."""
    cells = (
        "-" if column in _OF_INJECTION and not row.names_injected else f"{row.figures[column]:.3f}"
        for column in COLUMNS
    )
    return f"  {row.label:<{_LABEL_WIDTH}}" + "".join(f"{cell:>{_WIDTH}}" for cell in cells)


def verdict(ours: Row, others: Sequence[Row]) -> str:
    """Return the line that says whether ``ours`` is ahead of every peer, and where it is not."""
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
