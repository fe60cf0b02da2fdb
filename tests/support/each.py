"""Rows of data that one test looks at: what pytest does for a test costs more than the reading of a sentence."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest


def each(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with each row, and fail at its end with all rows that failed.

    It is written as ``pytest.mark.parametrize`` is, with a name or several, and is for tests that take about a
    millisecond and leave nothing behind: what else such a test takes, a fixture say, is the same for all rows.
    """
    wanted = [names] if isinstance(names, str) else list(names)
    cases = [(row,) if isinstance(names, str) else tuple(row) for row in rows]
    assert cases, f"no row for {wanted}"

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def of_all_rows(**others: Any) -> None:
            failed = []
            for case in cases:
                try:
                    test(**dict(zip(wanted, case, strict=True)), **others)
                except (Exception, pytest.fail.Exception) as error:
                    failed.append(f"{case}\n    {type(error).__name__}: {error}")
            assert not failed, "\n".join([f"{len(failed)} of {len(cases)} rows failed", *failed])

        rest = [one for name, one in inspect.signature(test).parameters.items() if name not in wanted]
        of_all_rows.__signature__ = inspect.Signature(rest)  # type: ignore[attr-defined]
        return of_all_rows

    return decorated
