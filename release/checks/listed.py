"""The checks by their names: each is a function that yields what is wrong, one line each."""

from collections.abc import Callable, Iterable
from pathlib import Path

Check = Callable[[], Iterable[str]]

ROOT = Path(__file__).resolve().parents[2]
NAMESPACE = ROOT / "nanobot_memory_plugins"
CHECKS: dict[str, Check] = {}


def check(name: str) -> Callable[[Check], Check]:
    """Put a function on the list."""

    def put(function: Check) -> Check:
        CHECKS[name] = function
        return function

    return put
