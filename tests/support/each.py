"""Rows of data that one test looks at: what pytest does for a test costs more than the reading of a sentence."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest


class FailedRowsError(AssertionError):
    """Some rows of a test failed. The message says which, and why."""


def each(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with each row, and fail at its end with all rows that failed.

    It is written as ``pytest.mark.parametrize`` is, and is for tests that take about a millisecond and leave nothing
    behind: what else such a test takes, a fixture say, is the same for all rows.
    """
    wanted = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    cases = [_values(row, len(wanted)) for row in rows]
    assert cases, f"no row for {wanted}"

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)
        assert set(wanted) <= set(signature.parameters), wanted
        assert not inspect.iscoroutinefunction(test)

        @wraps(test)
        def of_all_rows(**others: Any) -> None:
            failed: list[tuple[tuple[Any, ...], BaseException]] = []
            for case in cases:
                try:
                    test(**dict(zip(wanted, case, strict=True)), **others)
                except (Exception, pytest.fail.Exception) as error:
                    failed.append((case, error))
            if failed:
                raise FailedRowsError(_told(wanted, failed, len(cases))) from failed[0][1]

        rest = [one for name, one in signature.parameters.items() if name not in wanted]
        of_all_rows.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
        return of_all_rows

    return decorated


def _values(row: Any, count: int) -> tuple[Any, ...]:
    """Return the values of a row: a ``pytest.param``, a sequence of them, or the value itself where there is one."""
    if isinstance(row, type(pytest.param())):
        assert not row.marks, row
        values = tuple(row.values)
    else:
        values = (row,) if count == 1 else tuple(row)
    assert len(values) == count, row
    return values


def _told(names: Sequence[str], failed: list[tuple[tuple[Any, ...], BaseException]], count: int) -> str:
    """Return every row that failed, with the beginning of what is wrong with it."""
    lines = [f"{len(failed)} of {count} rows failed"]
    for case, error in failed:
        row = ", ".join(f"{name}={value!r}" for name, value in zip(names, case, strict=True))
        lines.append(f"- {row}")
        lines += [f"    {line}" for line in f"{type(error).__name__}: {error}".splitlines()]
    return "\n".join(lines)
