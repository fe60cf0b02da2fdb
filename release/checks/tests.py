"""What tests may import, so that code can be changed without breaking those of promises."""

import ast
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

from release.checks.listed import ROOT, check

BEHAVIOUR = ROOT / "tests" / "behaviour"
_PUBLIC = {"nanobot_memory_plugins.core", "nanobot_memory_plugins.core.testing", "tests.behaviour.kit"}
_OF_COMMANDS = "nanobot_memory_plugins.core.cli.main"


@check("tests of promises import public names alone")
def behaviour() -> Iterator[str]:
    """Of ours ``core`` and ``core.testing``, and their own kit; ``core.cli.main`` in kit/command.py."""
    others = {*sys.stdlib_module_names, *packages_distributions()} - {"nanobot_memory_plugins", "tests"}
    for file in sorted(BEHAVIOUR.rglob("*.py")):
        for line, name in _imported(file):
            is_of_the_kit = name.startswith("tests.behaviour.kit.")
            is_main = name == _OF_COMMANDS and file == BEHAVIOUR / "kit" / "command.py"
            if not (name in _PUBLIC or is_of_the_kit or is_main or name.split(".")[0] in others):
                yield f"{file.relative_to(ROOT)}:{line}: {name}"


def _imported(file: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            yield node.lineno, "." * node.level + module
            if module in _PUBLIC:  # a submodule by `from`
                for alias in node.names:
                    below = ROOT.joinpath(*module.split("."), alias.name)
                    if module != "tests.behaviour.kit" and (below.is_dir() or below.with_suffix(".py").exists()):
                        name = f"{module}.{alias.name}"
                        yield from [] if name in _PUBLIC else [(node.lineno, name)]
