"""Checks of imports that `lint-imports` does not make, and of entry points."""

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from release.checks.listed import NAMESPACE, ROOT, check
from release.house import House, circles
from release.versions import OWN, projects

_HERE = "nanobot_memory_plugins."
_MAX_LINES = 600
# The only modules that may use the log, the console and the terminal directly.
_OUTPUT_MODULES = {
    r"^import loguru|^from loguru import logger": {"core/log.py"},
    r"\bConsole\(|rich\.markup|^from rich import print": {"core/cli/console.py"},
    r"typer\.s?echo\(|click\.s?echo\(": {"core/cli/plain.py", "core/cli/main.py"},
}


def modules() -> Iterator[tuple[Path, str]]:
    """Yield every module of the product, and its distribution."""
    for file in sorted(NAMESPACE.glob("*/**/*.py")):
        yield file, file.relative_to(NAMESPACE).parts[0]


@cache
def imported(file: Path) -> frozenset[str]:
    """Return all imports of a module: ``a.b`` for ``import a.b``, ``a.b.c`` for ``from a.b import c``."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(found)


@check("distributions need those of ours that they import, and no others")
def dependencies() -> Iterator[str]:
    """A distribution depends on exactly those of ours that it imports."""
    tables = projects(ROOT)
    for folder in sorted(path.parent for path in NAMESPACE.glob("*/pyproject.toml")):
        names = {name.split(".")[1] for f in folder.rglob("*.py") for name in imported(f) if name.startswith(_HERE)}
        used = {f"{OWN}{name.replace('_', '-')}" for name in names - {folder.name}}
        lines = tables[f"{OWN}{folder.name}"].get("dependencies", [])
        listed = {re.split(r"[=\[]", one)[0] for one in lines if one.startswith(OWN)}
        yield from (f"{folder.name}: {one}" for one in sorted(used ^ listed))


@check("only the bridge knows nanobot, and nothing knows pytest")
def frameworks() -> Iterator[str]:
    """Imports inside functions count as well."""
    for file, distribution in modules():
        tops = {name.split(".")[0] for name in imported(file)}
        if "nanobot" in tops and distribution != "bridge":
            yield f"{file.relative_to(ROOT)} imports nanobot"
        if "pytest" in tops:
            yield f"{file.relative_to(ROOT)} imports pytest"


@check("the log and the terminal are reached through one module each")
def output_modules() -> Iterator[str]:
    """Ruff reports ``print``."""
    for file, _ in modules():
        text, name = file.read_text(encoding="utf-8"), file.relative_to(NAMESPACE).as_posix()
        yield from (
            f"{name}: {way}"
            for way, allowed in _OUTPUT_MODULES.items()
            if name not in allowed and re.search(way, text, re.MULTILINE)
        )


@check("modules are short, and none import each other in a circle")
def structure() -> Iterator[str]:
    """Import cycles are checked in every distribution; `lint-imports` checks three."""
    house = House(ROOT)
    for distribution in house.distributions:
        yield from (f"{distribution}: {' '.join(one)}" for one in circles(house.rooms(distribution)))
    for file, _ in modules():
        if (length := len(file.read_text(encoding="utf-8").splitlines())) > _MAX_LINES:
            yield f"{file.relative_to(ROOT)}: {length} lines"


@check("entry points name things that exist")
def entry_points() -> Iterator[str]:
    """In every pyproject.toml of the workspace."""
    for name, project in projects(ROOT).items():
        for group in project.get("entry-points", {}).values():
            for value in group.values():
                module, _, attribute = value.partition(":")
                if attribute and not hasattr(importlib.import_module(module), attribute):
                    yield f"{name}: {value}"


@check("the public names that type checkers read are there")
def public_names() -> Iterator[str]:
    """``core`` loads its names lazily; type checkers read a separate list of them."""
    for package in ("core",):
        module = importlib.import_module(_HERE + package)
        file = Path(str(module.__file__))
        stub = file.with_suffix(".pyi")
        tree = ast.parse((stub if stub.is_file() else file).read_text(encoding="utf-8"))
        blocks = [tree] if stub.is_file() else [block for block in tree.body if isinstance(block, ast.If)]
        declared = {
            alias.name: str(node.module)
            for block in blocks
            for node in block.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        yield from (f"{package}: {name}" for name in sorted(set(declared) ^ set(module.__all__)))
        for name, place in declared.items():
            if getattr(module, name) is not getattr(importlib.import_module(place), name):
                yield f"{package}: {name} is not that of {place}"
