"""The plan and the result of a purge: which lines of which files are removed, and which stay."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from nanobot_memory_plugins.core.values import Erasure, Trace
from nanobot_memory_plugins.core.values.purging import TraceLine
from nanobot_memory_plugins.redaction.script.messages import tr

# The most characters of a line that are printed, those of them before the words, and the most lines of a file.
_WIDTH, _BEFORE, _MAX_LINES = 160, 40, 5


@dataclass(frozen=True, slots=True)
class ErasurePlan:
    """The traces that an erasure finds: what it will remove, or has removed once it ``is_done``, and what stays."""

    erasure: Erasure
    traces: tuple[Trace, ...]
    is_done: bool = False

    @property
    def removed(self) -> tuple[Trace, ...]:
        """The traces that are removed."""
        return tuple(one for one in self.traces if one.removed)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that something is removed from."""
        return tuple(dict.fromkeys(one.where for one in self.removed))

    @property
    def waits(self) -> bool:
        """Whether something could not be removed yet, so that the next start tries again."""
        return any(one.waits for one in self.traces)

    @property
    def unfinished(self) -> Erasure | None:
        """The erasure for the next start: None if nothing waits, and without targets if only derived data waits."""
        waiting = [one for one in self.traces if one.waits]
        if not waiting:
            return None
        return Erasure() if all(one.derived for one in waiting) else self.erasure

    def report_lines(self, *, all_lines: bool = False) -> list[str]:
        """Return the plan as lines of text: each file with its lines, and why something stays."""
        lines: list[str] = []
        for one in self.traces:
            line = tr("left in {where}", where=one.where)
            if one.removed:
                line = tr("removed from {where}" if self.is_done else "to remove from {where}", where=one.where)
            line += tr(" ({count} times)", count=one.count) if one.count > 1 else ""
            lines.append(line + (tr(": ") + tr(one.why) if one.why else ""))
            shown = one.lines if all_lines else one.lines[:_MAX_LINES]
            lines += ["  " + (tr("line {line}: ", line=held.line) if held.line else "") + held.text for held in shown]
            if len(shown) < len(one.lines):
                lines.append(tr("  … and {count} more lines; --all shows them", count=len(one.lines) - len(shown)))
        return lines

    def to_json(self) -> dict[str, Any]:
        """Return the plan as a JSON object."""
        return {"ids": self.erasure.ids, "files": self.files, "traces": [asdict(one) for one in self.traces]}


def finished_plan(plan: ErasurePlan, traces: Sequence[Trace]) -> ErasurePlan:
    """Return the plan after it was carried out: ``traces``, and the planned traces that were already gone by then."""
    places = {one.where for one in traces}
    gone = [one for one in plan.removed if one.where not in places]
    return ErasurePlan(plan.erasure, (*traces, *gone), is_done=True)


def trace_line(line: int, text: str, at: int = 0) -> TraceLine:
    """Return a line with its printable text, shortened to the part around ``at`` if it is long."""
    begin = max(0, at - _BEFORE) if len(text) > _WIDTH else 0
    shown = " ".join("".join(one if one.isprintable() else " " for one in text[begin : begin + 4 * _WIDTH]).split())
    shown = f"…{shown}" if begin else shown
    return TraceLine(line, shown if len(shown) <= _WIDTH else f"{shown[: _WIDTH - 1]}…")


def trace_of(where: str, lines: Iterable[TraceLine], *, removed: bool = True, why: str = "") -> Trace:
    """Return the trace of a file in which something was found on these lines."""
    found = tuple(lines)
    return Trace(where, len(found), removed=removed, why=why, lines=found)
