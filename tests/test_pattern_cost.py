"""No pattern of the project takes longer a character the longer the text is: what it looks for, over and over.

`NANOBOT_MEMORY_LONG=1` tries more repetitions, on longer texts, against a narrower bound.
"""

import gc
import importlib
import inspect
import os
import pkgutil
import random
import re
import signal
from collections import deque
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import nanobot_memory_plugins
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.redaction.lazy import LazyPattern

LONG = bool(os.environ.get("NANOBOT_MEMORY_LONG"))
SIZE, REPETITIONS, SECONDS_A_KB = (65_536, 40, 0.003) if LONG else (4_096, 4, 0.005)
# Of shorter texts the clock's own spread on a busy machine would decide.
LEAST = 1_024
# Names of patterns whose callers hand them no more than this many characters.
BOUNDED = {"turns._ASKS": 300, "bare_words._NO_VALUE": 128, "personal._LOCAL": 64}
SIGNS = {r"\d": "4", r"\s": " ", r"\S": "x", r"\w": "a", r"\b": "", r"\n": "\n", r"\t": "\t"}


def modules() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages(nanobot_memory_plugins.__path__, "nanobot_memory_plugins."):
        if not info.name.endswith("__main__"):
            try:
                yield importlib.import_module(info.name)
            except ImportError:  # of a framework that is not installed here
                continue


def patterns_in(value: Any, seen: set[int]) -> Iterator[re.Pattern[str]]:
    """Yield the patterns for text that a value is, or holds at any depth."""
    if isinstance(value, re.Pattern | LazyPattern):
        compiled = value.compiled if isinstance(value, LazyPattern) else value
        if isinstance(compiled.pattern, str):
            yield compiled
        return
    is_ours = type(value).__module__.startswith("nanobot_memory_plugins")
    if (is_ours or isinstance(value, dict | list | tuple | set | frozenset)) and id(value) not in seen:
        seen.add(id(value))
        for one in gc.get_referents(value):
            yield from patterns_in(one, seen)


def patterns() -> dict[re.Pattern[str], tuple[str, str]]:
    """Return every pattern, with the name of a variable that it is in, and the dearest way in which that is used."""
    found: dict[re.Pattern[str], tuple[str, str]] = {}
    seen: set[int] = set()
    for module in modules():
        source = inspect.getsource(module)
        for name, value in vars(module).items():
            ways = set(re.findall(rf"\b{name}\.(match|fullmatch|search|finditer|findall|sub|subn|split)\(", source))
            way = min(ways, default="search") if ways <= {"match", "fullmatch"} else "finditer"
            for pattern in patterns_in(value, seen) if not name.startswith("__") else ():
                found.setdefault(pattern, (f"{module.__name__.rpartition('.')[2]}.{name}", way))
    return found


def repetitions(source: str, most: int) -> list[str]:
    """Return what is worth repeating for a pattern: the words and signs in it, alone and joined."""
    chance = random.Random(1)
    plain = re.sub(r"\\.", lambda escape: SIGNS.get(escape[0], escape[0][1]), source)
    parts = list(dict.fromkeys(re.findall(r"\w{1,40}|\W", plain)))[:24]
    beginnings = ["".join(parts[:end]) for end in range(2, 8)]
    joined = ["".join(chance.choices(parts, k=chance.choice((2, 3)))) for _ in range(most)]
    every = list(dict.fromkeys([*sorted(parts, key=len, reverse=True), *beginnings, *joined]))
    return every if len(every) <= most else chance.sample(every, most)


def takes_longer(pattern: re.Pattern[str], way: str, text: str, seconds: float) -> bool:
    """Return whether a pattern takes more processor time than that for all of a text; it is given up then."""

    def give_up(number: int, frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        if way == "finditer":
            deque(pattern.finditer(text), maxlen=0)
        else:
            getattr(pattern, way)(text)
    except TimeoutError:
        return True
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return False


def too_dear(pattern: re.Pattern[str], way: str, longest: int) -> str:
    """Return the repetition of which a text takes too long, or nothing; longer and longer texts are tried."""
    for token in repetitions(pattern.pattern, REPETITIONS):
        size = 64
        while size <= longest:
            text = (token * size)[: size - 1] + "\0"  # which ends no match
            bound = SECONDS_A_KB * max(longest, LEAST) / 1024
            if all(takes_longer(pattern, way, text, bound) for _ in range(2)):  # once the machine may have been busy
                return f"{token!r}, {size} characters"
            size *= 8
    return ""


@pytest.mark.slow
def test_every_pattern_takes_time_that_grows_with_the_text_alone():
    found = patterns()
    assert len(found) > 300
    dear = {}
    for pattern, (name, way) in found.items():
        if repetition := too_dear(pattern, way, min(SIZE, BOUNDED.get(name, SIZE))):
            dear[name] = f"{repetition} ({way}): {pattern.pattern[:80]}"
    assert not dear


@pytest.mark.parametrize("source", [r"(?:ab?|b?c|a)*!", r"\s*=", r"(?:a|aa)+$"])
def test_a_pattern_that_tries_everything_again_is_told(source: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(globals(), "REPETITIONS", 40)
    assert too_dear(re.compile(source), "finditer", 32_768)


def test_eighty_capitals_behind_a_word_for_a_password_are_redacted_at_once():
    capitals = "".join(random.Random(1).choices("QWERTYUIOPASDFGH", k=300))
    assert redact_text(f"password={capitals} and more") == "password=[REDACTED] and more"
