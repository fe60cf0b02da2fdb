"""Many rows of data in a single test, since pytest's overhead for a test exceeds the time of reading a sentence."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest


def each(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with each row, and fail at the end with all failed rows.

    The arguments are those of ``pytest.mark.parametrize``. It is for tests that take about a millisecond and leave
    nothing behind. The other arguments of the test, such as fixtures, are the same for all rows.
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
