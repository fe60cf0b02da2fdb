"""The days that words name, and nothing else: "last week", 上周, "in May"."""

from datetime import datetime

from nanobot_memory_plugins.core.text.days import DaySpan, named_days

_AROUND = " \t\n.,;:!?\"'"


def named_period(text: str, now: datetime) -> DaySpan | None:
    """Return the days that a text is, and nothing else: "last week", 上周, "in May"; or None."""
    found = named_days(text, now.date())
    if len(found) != 1:
        return None
    rest = f"{text[: found[0].start]}{text[found[0].end :]}".strip(_AROUND).casefold()
    return found[0].span if rest in ("", "in", "on", "the", "since", "从", "在") else None
