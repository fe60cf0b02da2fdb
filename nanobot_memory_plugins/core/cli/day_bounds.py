"""``--since`` and ``--until``: the range of time that a command looks at."""

from datetime import datetime
from typing import Annotated

import typer

from nanobot_memory_plugins.core.errors import WrongUseError
from nanobot_memory_plugins.redaction.script.messages import Sentence

SinceOption = Annotated[
    str,
    typer.Option("--since", metavar="DAY", help="Only from this day, month, year or time on (2026-02-16, yesterday)."),
]
UntilOption = Annotated[str, typer.Option("--until", metavar="DAY", help="Only up to the end of this one.")]


def bounds_of(since: str, until: str) -> tuple[datetime | None, datetime | None]:
    """Return the first and the last moment that the two options name, None for an empty one.

    Raises `WrongUseError` where one is no date, or the first is after the last.
    """
    first, last = moment_given("--since", since, end=False), moment_given("--until", until, end=True)
    if first is not None and last is not None and first > last:
        raise WrongUseError("--since is after --until.", hint="Exchange them.")
    return first, last


def moment_given(option: str, text: str, *, end: bool) -> datetime | None:
    """Return the moment that the value of an option names, a day by its beginning or ``end``; None for an empty one.

    Days in words are seen from now. Raises `WrongUseError` where it names none.
    """
    from nanobot_memory_plugins.core.text.time_bounds import moment_of

    try:
        return moment_of(text, end=end, now=datetime.now().astimezone()) if text else None
    except ValueError as error:
        raise WrongUseError(
            Sentence("{option} {text}: {why}.", option=option, text=text, why=error.args[0]),
            hint="Write 2026-02-16, 2026-02, 2026, yesterday, last Friday or a time.",
        ) from error
