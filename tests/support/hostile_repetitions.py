"""Every compiled pattern of the project, and the texts that would hurt it most: what it looks for, over and over."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import nanobot_memory_plugins
from nanobot_memory_plugins.redaction.rules.lazy_pattern import LazyPattern

_parser: Any = importlib.import_module("re._parser")
_constants: Any = importlib.import_module("re._constants")
_MOST_ATOMS = 24
_WAYS = frozenset({"match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split"})
_METHOD = re.compile(rf"\b(\w+)\.({'|'.join(sorted(_WAYS))})\b")
_CALL = re.compile(rf"\bre\.({'|'.join(sorted(_WAYS))})\(")
# Names that stand in a tuple of which each is tried in one way.
_LOOPS = {
    name: {"fullmatch"}
    for name in re.findall(
        r"\w+",
        "_ALGORITHM _NAME_OF_ONE _REFERENCE _MASK _PRODUCT _HOST _TIME _SECTION _NOT_FORGOTTEN _HOLD _ERASED _DELETED"
        " _TITLE",
    )
}
_PROBES = "aZ4 _-.:/=\"'\n\t密\ue0f1é,;()[]{}<>@#$%&*+?!|~^`\\"


@cache
def modules() -> tuple[ModuleType, ...]:
    """Import every module of the project that can be imported here."""
    found = []
    for info in pkgutil.walk_packages(nanobot_memory_plugins.__path__, "nanobot_memory_plugins."):
        if info.name.endswith("__main__"):
            continue
        try:
            found.append(importlib.import_module(info.name))
        except ImportError:
            continue
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Used:
    """A pattern, and how the project uses it: ``match`` and ``fullmatch`` begin at one place only."""

    pattern: re.Pattern[str]
    ways: frozenset[str]


@cache
def patterns() -> dict[str, Used]:
    """Give every pattern for text by the place where it was first found: compiled ones, and literals in calls."""
    found: dict[str, Used] = {}
    seen: set[re.Pattern[str]] = set()
    ways: dict[tuple[str, str], set[str]] = {}
    calls: list[tuple[str, re.Pattern[str], str]] = []
    for module in modules():
        _read_source(module, ways, calls)
    for module in modules():
        for place, pattern in _compiled(vars(module), module.__name__, set(), 0):
            if isinstance(pattern.pattern, str) and pattern not in seen:
                seen.add(pattern)
                name = place.removeprefix(f"{module.__name__}.")
                found[place] = Used(pattern, frozenset(_LOOPS.get(name) or _ways_of(name, module.__name__, ways)))
    for place, pattern, way in calls:
        if pattern not in seen:
            seen.add(pattern)
            found[place] = Used(pattern, frozenset({way}))
    return found


def _ways_of(name: str, module: str, ways: dict[tuple[str, str], set[str]]) -> set[str]:
    """Give how a name is used in its own module, else anywhere; a search is the dearest."""
    own = ways.get((module, name))
    return own or {way for (_, other), found in ways.items() if other == name for way in found} or {"search"}


def _compiled(value: Any, place: str, visited: set[int], depth: int) -> Iterator[tuple[str, re.Pattern[str]]]:
    if isinstance(value, re.Pattern):
        yield place, value
        return
    if isinstance(value, LazyPattern):
        yield place, value.compiled
        return
    if id(value) in visited or depth > 8 or isinstance(value, str | bytes | int | float | ModuleType | type(None)):
        return
    visited.add(id(value))
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _compiled(
                item, f"{place}.{key}" if depth == 0 else f"{place}[{len(visited)}]", visited, depth + 1
            )
    elif isinstance(value, list | tuple | set | frozenset):
        for number, item in enumerate(value):
            yield from _compiled(item, f"{place}[{number}]", visited, depth + 1)
    elif type(value).__module__.startswith("nanobot_memory_plugins"):
        for owner in type(value).__mro__:
            names = getattr(owner, "__slots__", ())
            for name in (names,) if isinstance(names, str) else names:
                yield from _compiled(getattr(value, name, None), f"{place}.{name}", visited, depth + 1)
        yield from _compiled(getattr(value, "__dict__", None), f"{place}", visited, depth + 1)


def _read_source(
    module: ModuleType, ways: dict[tuple[str, str], set[str]], calls: list[tuple[str, re.Pattern[str], str]]
) -> None:
    """Note which methods are called on which names, and the patterns that are written where they are used."""
    path = getattr(module, "__file__", None)
    if path is None:
        return
    source = Path(path).read_text("utf-8")
    if vars(module).keys().isdisjoint({"re", "lazy_re", "LazyPattern"}):
        return
    for name, way in _METHOD.findall(source):
        if name != "re":
            ways.setdefault((module.__name__, name), set()).add(way)
    if not _CALL.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        owner, first = node.func.value, node.args[0]
        is_call = isinstance(owner, ast.Name) and owner.id == "re" and node.func.attr in _WAYS
        if is_call and isinstance(first, ast.Constant) and isinstance(first.value, str):
            calls.append((f"{module.__name__}:{node.lineno}", re.compile(first.value), node.func.attr))


def atoms(pattern: re.Pattern[str]) -> list[str]:
    """Give short texts that the parts of ``pattern`` match, in order: its words, and a sign for each class."""
    found: list[str] = []
    _collect(_parser.parse(pattern.pattern, pattern.flags), found)
    return list(dict.fromkeys(atom for atom in found if atom))


def _collect(parsed: Any, found: list[str]) -> None:
    literal = ""
    for kind, value in parsed:
        if kind is _constants.LITERAL:
            literal += chr(value)
            continue
        if literal:
            found.append(literal)
            literal = ""
        name = str(kind)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            inner: list[str] = []
            _collect(value[2], inner)
            found.extend(inner)
            if 1 < value[0] <= 64:
                found.append("".join(inner) * int(value[0]))
        elif name == "BRANCH":
            for option in value[1]:
                _collect(option, found)
        elif name == "SUBPATTERN":
            _collect(value[3], found)
        elif name in ("ASSERT", "ASSERT_NOT"):
            _collect(value[1], found)
        elif name == "ATOMIC_GROUP":
            _collect(value, found)
        elif name == "IN":
            found.append(_member(value))
        elif name == "ANY":
            found.append("a")
    if literal:
        found.append(literal)


def _member(members: Any) -> str:
    """Give one sign of a class."""
    negated = str(members[0][0]) == "NEGATE"
    shape = re.compile(_class_text(members))
    wanted = next((char for char in _PROBES if shape.match(char)), "")
    if wanted or negated:
        return wanted
    kind, value = members[0]
    return chr(value) if str(kind) == "LITERAL" else chr(value[0]) if str(kind) == "RANGE" else ""


def _class_text(members: Any) -> str:
    pieces = []
    for kind, value in members:
        name = str(kind)
        if name == "NEGATE":
            pieces.append("^")
        elif name == "LITERAL":
            pieces.append(re.escape(chr(value)))
        elif name == "RANGE":
            pieces.append(f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}")
        elif name == "CATEGORY":
            short = str(value)
            letter = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[short.rsplit("_", 1)[-1]]
            pieces.append("\\" + (letter.upper() if "NOT" in short else letter))
    return f"[{''.join(pieces)}]"


def repetitions(pattern: re.Pattern[str], seed: int, most: int) -> list[str]:
    """Give at most ``most`` tokens worth repeating for ``pattern``: its parts, beginnings of a match, and pairs."""
    random = Random(seed)
    parts = atoms(pattern)
    words = sorted(parts, key=len, reverse=True)[: _MOST_ATOMS // 2] + parts[: _MOST_ATOMS // 2]
    tokens = list(dict.fromkeys(words))
    beginnings = ["".join(parts[:end]) for end in range(2, min(len(parts), 8) + 1)]
    pairs = [left + right for left, right in (random.choices(tokens, k=2) for _ in range(most)) if left != right]
    spaced = [token + mark for token in tokens[:4] for mark in (" ", "\n", ";", "=")]
    every = list(dict.fromkeys([*tokens, *beginnings, *spaced, *pairs]))
    if len(every) > most:
        kept = every[: most // 2]
        kept += random.sample(every[most // 2 :], most - len(kept))
        every = kept
    return [token for token in every if token and len(token) <= 400]


def repeated(token: str, size: int) -> str:
    """Give ``size`` characters of ``token`` over and over."""
    return (token * (size // len(token) + 1))[:size]


def seconds_to_use(used: Used, text: str, limit: float = 1.0) -> float:
    """Give the processor time that ``used`` takes for all of ``text``, in the ways it is used; ``limit`` at most."""
    began = time.thread_time()
    before = signal.signal(signal.SIGVTALRM, _give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, limit)
    try:
        for way in used.ways & {"match", "fullmatch"}:
            getattr(used.pattern, way)(text)
        if used.ways - {"match", "fullmatch"}:
            for _ in used.pattern.finditer(text):
                pass
    except _GivenUpError:
        return limit
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return time.thread_time() - began


class _GivenUpError(Exception):
    """A search took too long."""


def _give_up(number: int, frame: object) -> None:
    raise _GivenUpError
