"""What is known of one scored memory, as text."""

from collections.abc import Sequence
from datetime import datetime

from rich.text import Text

from nanobot_memory_plugins.core.values import EntryRun, EntryView, ScorePoint
from nanobot_memory_plugins.panel.language import PanelWords
from nanobot_memory_plugins.panel.views.base import field
from nanobot_memory_plugins.panel.widgets.chart import column_chart

_CHART_LINES = 4
_ACTIONS = {"added": "green", "restored": "green", "removed": "red", "archived": "yellow", "changed": "cyan"}


def entry_text(
    entry: EntryView, scores: Sequence[ScorePoint], runs: Sequence[EntryRun], words: PanelWords, now: datetime
) -> Text:
    """Return an entry with its score over time and what was done to it."""
    text = Text()
    text.append(f"{entry.text}\n\n", "bold")
    if len(scores) > 1:
        _chart(text, scores, words)
    state = words("forgotten") if entry.gone else words("archived") if entry.archived else words("active")
    score = f"{entry.score:.2f}, {state}"
    if entry.hits:
        score += ", " + words("used {n} times", n=entry.hits)
    field(text, words("Score"), score)
    field(text, words("Group"), entry.group)
    field(text, words("Tags"), ", ".join(entry.tags))
    field(text, words("Project"), entry.scope.project)
    field(text, words("Category"), f"{words(entry.category)} · {words(entry.origin.value)}")
    standing = (words(entry.kind) if entry.kind else "", words("pinned") if entry.pinned else "")
    field(text, words("Kind"), " · ".join(filter(None, standing)))
    field(text, words("Written"), day_and_time(entry.created_at))
    field(text, words("Last used"), day_and_time(entry.last_used))
    field(text, words("Expires"), day_and_time(entry.expires_at))
    field(text, words("Session"), entry.source_session)
    field(text, words("Replaced by"), entry.superseded_by)
    field(text, words("Id"), entry.id)
    if runs:
        text.append(f"\n{words('History')}\n", "bold")
    for run in runs:
        text.append_text(shown_run(run, words))
        text.append("\n")
        for change in run.changes:
            if change.id == entry.id and change.before and change.after and change.before.text != change.after.text:
                text.append(f"  - {change.before.text}\n", "dim")
    return text


def shown_run(run: EntryRun, words: PanelWords) -> Text:
    """Return one line about a run: when, who, what and why."""
    t = words
    text = Text(day_and_time(run.time) + "  ")
    actions = dict.fromkeys(change.action for change in run.changes)
    for action in actions:
        text.append(f"{t(action)} ", _ACTIONS.get(action, ""))
    text.append(f"{t(run.who)}: {t(run.why)}")
    if run.undone:
        text.append(f" ({t('undone')})", "dim")
    return text


def is_undoable(run: EntryRun) -> bool:
    """Return whether undoing is offered for a run."""
    return bool(run.changes) and not (run.undone or run.undoes or run.by_hand)


def undo_lines(run: EntryRun, words: PanelWords) -> list[str]:
    """Return what a run did, for the question whether to take it back."""
    states = (change.after or change.before for change in run.changes)
    return [shown_run(run, words).plain, *(state.text for state in states if state is not None)]


def day_and_time(time: datetime | None) -> str:
    """Return a time in the zone of the machine, to the minute."""
    return f"{time.astimezone():%Y-%m-%d %H:%M}" if time is not None else ""


def _chart(text: Text, scores: Sequence[ScorePoint], words: PanelWords) -> None:
    lines = column_chart([point.score for point in scores], _CHART_LINES)
    for number, line in enumerate(lines):
        label = "1.0" if number == 0 else "0.0" if number == len(lines) - 1 else ""
        text.append(f"{label:>3} ", "dim").append(f"{line}\n", "cyan")
    first, last = (f"{point.time.astimezone():%Y-%m-%d}" for point in (scores[0], scores[-1]))
    gap = max(1, len(scores) - len(first) - len(last))
    text.append(f"    {first}{' ' * gap}{last}\n\n" if first != last else f"    {first}\n\n", "dim")
