"""Prints the answers as a table."""

from collections.abc import Mapping, Sequence

from benchmarks.answers.record import RecordedAnswer
from benchmarks.answers.scoring import mean_interval

OURS = "ours"
UPPER_BOUND = "evidence"


def table(given: Mapping[tuple[str, str], RecordedAnswer], conditions: Sequence[str], measure: str = "F1") -> str:
    """Return a row for each condition, over the questions answered under all of them.

    ``measure`` is the name of an answer's score.
    """
    questions = [
        question
        for question in dict.fromkeys(question for question, _ in given)
        if all((question, condition) in given for condition in conditions)
    ]
    if not questions:
        return "  no question is answered under every condition yet"
    scores = {name: [given[question, name].score for question in questions] for name in conditions}
    bound = sum(scores[UPPER_BOUND]) / len(questions) if UPPER_BOUND in scores else 0.0
    lines = [
        f"  {len(questions)} questions",
        f"  {'':12}{measure:>7}{'95 %':>16}{'of bound':>10}{'tokens':>8}   ours less this (paired, 95 %)",
    ]
    for name in conditions:
        interval = mean_interval(scores[name])
        share = f"{interval.mean / bound:.2f}" if bound else "-"
        tokens = sum(given[question, name].tokens for question in questions) / len(questions)
        span = f"{interval.low:.3f} to {interval.high:.3f}"
        lines.append(f"  {name:12}{interval.mean:7.3f}{span:>16}{share:>10}{tokens:8.0f}   {_lead(scores, name)}")
    return "\n".join(lines)


def _lead(scores: Mapping[str, Sequence[float]], name: str) -> str:
    if OURS not in scores or name == OURS:
        return ""
    lead = mean_interval([mine - theirs for mine, theirs in zip(scores[OURS], scores[name], strict=True)])
    sure = "" if lead.low <= 0 <= lead.high else "  *"
    return f"{lead.mean:+.3f} ({lead.low:+.3f} to {lead.high:+.3f}){sure}"
