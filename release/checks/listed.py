"""The registry of checks. A check is a function that yields its problems, one line each."""

from collections.abc import Callable, Iterable
from pathlib import Path

Check = Callable[[], Iterable[str]]

ROOT = Path(__file__).resolve().parents[2]
NAMESPACE = ROOT / "nanobot_memory_plugins"
CHECKS: dict[str, Check] = {}


def check(name: str) -> Callable[[Check], Check]:
    """Register a function as a check."""

    def register(function: Check) -> Check:
        CHECKS[name] = function
        return function

    return register
