"""Checks the imports of behaviour tests, so that internal changes do not break them."""

import ast
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

from release.checks.listed import ROOT, check

BEHAVIOUR = ROOT / "tests" / "behaviour"
_PUBLIC = {
    "nanobot_memory_plugins.core",
    "nanobot_memory_plugins.core.testing",
    "nanobot_memory_plugins.tools.scripted_model",
    "tests.behaviour.kit",
}
# Further modules that files of the kit may import, to run a command or drive the panel.
_KIT_IMPORTS = {
    "command.py": ("nanobot_memory_plugins.core.cli.main",),
    "breaking_off.py": ("nanobot_memory_plugins.core.cli.main",),
    "killed_entries.py": ("nanobot_memory_plugins.core.cli.main",),
    "panel.py": ("nanobot_memory_plugins.core.cli.language", "nanobot_memory_plugins.panel"),
}


@check("tests of promises import public names alone")
def behaviour() -> Iterator[str]:
    """They may import ``core``, ``core.testing``, the scripted model and their own kit, which may import more.

    The names of plugins that a test installs begin with "third_party_".
    """
    others = {*sys.stdlib_module_names, *packages_distributions()} - {"nanobot_memory_plugins", "tests"}
    for file in sorted(BEHAVIOUR.rglob("*.py")):
        for line, name in _imported(file):
            is_of_the_kit = name.startswith("tests.behaviour.kit.")
            driven = _KIT_IMPORTS.get(file.name, ()) if file.parent == BEHAVIOUR / "kit" else ()
            is_driven = any(f"{name}.".startswith(f"{one}.") for one in driven)
            is_installed = name.startswith("third_party_")
            is_free = name in _PUBLIC or is_of_the_kit or is_driven or is_installed or name.split(".")[0] in others
            if not is_free:
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
