"""The rooms of the code: ``python -m release.house`` prints the rooms, layers and statements of each distribution.

A room is a folder or a single module directly below a distribution. An arrow is an import anywhere in a module; an
import from the public face of core leads to the module that defines the name. A room's layer is one above the highest
layer that it imports. The total leaves out optional distributions.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMESPACE = "nanobot_memory_plugins"
# Rooms by what they import.
Arrows = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class House:
    """The modules of a checkout, by their names below the namespace, as ``core.host.memory_host``."""

    root: Path

    @cached_property
    def trees(self) -> dict[str, ast.Module]:
        """The syntax tree of every module."""
        folder = self.root / NAMESPACE
        return {
            ".".join(file.relative_to(folder).with_suffix("").parts).removesuffix(".__init__"): ast.parse(
                file.read_text(encoding="utf-8")
            )
            for file in sorted(folder.glob("*/**/*.py"))
        }

    @cached_property
    def distributions(self) -> list[str]:
        """The folders of the distributions."""
        return sorted({module.partition(".")[0] for module in self.trees})

    @cached_property
    def optional(self) -> frozenset[str]:
        """The distributions that are only extras of the umbrella, by its build hook."""
        script = self.root / "hatch_build.py"
        tree = ast.parse(script.read_text(encoding="utf-8") if script.is_file() else "")
        return frozenset(
            str(name).removeprefix("nanobot-memory-")
            for node in tree.body
            if isinstance(node, ast.Assign) and [ast.unparse(one) for one in node.targets] == ["OPTIONAL"]
            for name in ast.literal_eval(node.value)
        )

    @cached_property
    def imports(self) -> dict[str, frozenset[str]]:
        """The imports of each module, except for the public face of core, which imports everything."""
        face = dict(self._imported_names("core")) if "core" in self.trees else {}
        found = {}
        for module in self.trees:
            if module != "core":
                names = self._imported_names(module)
                found[module] = frozenset(
                    face.get(name, target) if target == "core" else target for name, target in names
                ) - {module}
        return found

    def rooms(self, distribution: str) -> Arrows:
        """Return the rooms of a distribution, each with the rooms of the same distribution that it imports."""
        arrows: dict[str, set[str]] = defaultdict(set)
        for module, targets in self.imports.items():
            room = _room(module, distribution)
            if room:
                arrows[room] |= {other for one in targets if (other := _room(one, distribution)) not in ("", room)}
        return {room: frozenset(others) for room, others in arrows.items()}

    def statements(self, distribution: str) -> int:
        """Return the number of statements in a distribution's modules. Docstrings count, comments do not."""
        return sum(
            isinstance(node, ast.stmt)
            for module, tree in self.trees.items()
            if module.partition(".")[0] == distribution
            for node in ast.walk(tree)
        )

    def _imported_names(self, module: str) -> Iterator[tuple[str, str]]:
        for node in ast.walk(self.trees[module]):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == NAMESPACE:
                target = node.module.partition(".")[2]
                for alias in node.names:
                    inner = f"{target}.{alias.name}" if target else alias.name
                    yield alias.name, inner if inner in self.trees else target


def _room(module: str, distribution: str) -> str:
    """Return the room of a module, or None for the face of a distribution and for modules of other projects."""
    parts = module.split(".")
    return parts[1] if parts[0] == distribution and len(parts) > 1 else ""


def circles(arrows: Arrows) -> list[list[str]]:
    """Return the groups of rooms that import each other, directly or indirectly, without single rooms."""
    reached = {room: _reachable(room, arrows) for room in arrows}
    found = {tuple(sorted(one for one in reached[room] if room in reached.get(one, ()))) for room in arrows}
    return sorted([*one] for one in found if len(one) > 1)


def _reachable(start: str, arrows: Arrows) -> frozenset[str]:
    seen: set[str] = set()
    waiting = list(arrows.get(start, ()))
    while waiting:
        room = waiting.pop()
        if room not in seen:
            seen.add(room)
            waiting += arrows.get(room, ())
    return frozenset(seen)


def layers(arrows: Arrows) -> list[list[str]]:
    """Return the rooms by layer, the lowest first. Raises `ValueError` for a cycle."""
    if found := circles(arrows):
        raise ValueError(f"these import each other: {found}")
    height: dict[str, int] = {}

    def height_of(room: str) -> int:
        if room not in height:
            height[room] = 1 + max((height_of(one) for one in arrows.get(room, ())), default=-1)
        return height[room]

    everywhere = {*arrows, *(one for others in arrows.values() for one in others)}
    by_layer: dict[int, list[str]] = defaultdict(list)
    for room in sorted(everywhere):
        by_layer[height_of(room)].append(room)
    return [by_layer[layer] for layer in sorted(by_layer)]


def report(house: House) -> Iterator[str]:
    """Yield the lines of the report."""
    total = besides = 0
    for distribution in house.distributions:
        arrows = house.rooms(distribution)
        statements = house.statements(distribution)
        is_optional = distribution in house.optional
        total, besides = (total, besides + statements) if is_optional else (total + statements, besides)
        count = sum(map(len, arrows.values()))
        kind = " (optional)" if is_optional else ""
        yield f"{distribution}{kind}: {len(arrows)} rooms, {count} arrows, {statements} statements"
        if found := circles(arrows):
            yield f"  circles: {'; '.join(' '.join(one) for one in found)}"
            continue
        for number, rooms in enumerate(layers(arrows), start=1):
            yield f"  {number}  {' '.join(rooms)}"
    yield f"{total} statements" + (f", and {besides} in optional distributions" if besides else "")


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


if __name__ == "__main__":
    _print(report(House(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)))
