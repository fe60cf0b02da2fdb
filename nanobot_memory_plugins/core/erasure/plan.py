"""What a forgetting for good comes to, shown before and after it is done: which lines of which files."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from nanobot_memory_plugins.core.values import Erasure, Trace
from nanobot_memory_plugins.core.values.purging import TraceLine
from nanobot_memory_plugins.redaction.script.messages import tr

# Characters of a line that are shown, and of those before the words, and lines of a file where not all are asked for.
_SHOWN, _BEFORE, _LINES = 160, 40, 5


@dataclass(frozen=True, slots=True)
class ErasurePlan:
    """What an erasure finds: what it removes, or has removed, and what stays, with the reason."""

    erasure: Erasure
    traces: tuple[Trace, ...]
    is_done: bool = False

    @property
    def removed(self) -> tuple[Trace, ...]:
        """What goes."""
        return tuple(one for one in self.traces if one.removed)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that something is removed from."""
        return tuple(dict.fromkeys(one.where for one in self.removed))

    @property
    def waits(self) -> bool:
        """Whether something is left to be done at the next start."""
        return any(one.waits for one in self.traces)

    @property
    def unfinished(self) -> Erasure | None:
        """What the next start has to do: None where nothing waits, no words where only what is derived waits."""
        waiting = [one for one in self.traces if one.waits]
        if not waiting:
            return None
        return Erasure() if all(one.derived for one in waiting) else self.erasure

    def report_lines(self, *, all_lines: bool = False) -> list[str]:
        """Return the plan as lines for people: each file with its lines, and why something stays."""
        lines: list[str] = []
        for one in self.traces:
            line = tr("left in {where}", where=one.where)
            if one.removed:
                line = tr("removed from {where}" if self.is_done else "to remove from {where}", where=one.where)
            line += tr(" ({count} times)", count=one.count) if one.count > 1 else ""
            lines.append(line + (tr(": ") + tr(one.why) if one.why else ""))
            shown = one.lines if all_lines else one.lines[:_LINES]
            lines += ["  " + (tr("line {line}: ", line=held.line) if held.line else "") + held.text for held in shown]
            if len(shown) < len(one.lines):
                lines.append(tr("  … and {count} more lines; --all shows them", count=len(one.lines) - len(shown)))
        return lines

    def to_json(self) -> dict[str, Any]:
        """Return the plan for programs."""
        return {"ids": self.erasure.ids, "files": self.files, "traces": [asdict(one) for one in self.traces]}


def finished_plan(plan: ErasurePlan, traces: Sequence[Trace]) -> ErasurePlan:
    """Return the plan after it was carried out: ``traces``, and the planned traces that were already gone by then."""
    there = {one.where for one in traces}
    gone = [one for one in plan.removed if one.where not in there]
    return ErasurePlan(plan.erasure, (*traces, *gone), is_done=True)


def trace_line(line: int, text: str, at: int = 0) -> TraceLine:
    """Return a line as it is shown: without marks that a terminal obeys; of a long one the part around ``at``."""
    begin = max(0, at - _BEFORE) if len(text) > _SHOWN else 0
    shown = " ".join("".join(one if one.isprintable() else " " for one in text[begin : begin + 4 * _SHOWN]).split())
    shown = f"…{shown}" if begin else shown
    return TraceLine(line, shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…")


def trace_of(where: str, held: Iterable[TraceLine], *, removed: bool = True, why: str = "") -> Trace:
    """Return what was found in a file, which holds it on these lines."""
    lines = tuple(held)
    return Trace(where, len(lines), removed=removed, why=why, lines=lines)
