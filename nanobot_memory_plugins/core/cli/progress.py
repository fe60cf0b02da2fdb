"""What every progress bar has in common."""

from rich.progress import TimeRemainingColumn


def time_left() -> TimeRemainingColumn:
    """Return the column that says how long it still takes, and at the end how long it took."""
    return TimeRemainingColumn(elapsed_when_finished=True)
