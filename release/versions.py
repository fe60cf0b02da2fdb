"""The one version of all distributions: read from their pyproject.toml files, and set in all of them at once."""

import re
import tomllib
from pathlib import Path
from typing import Any

UMBRELLA = "nanobot-memory-plugins"
CORE = "nanobot-memory-core"
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")
_OWN_LINE = re.compile(r'^version = "[^"]*"$', re.MULTILINE)
_CORE_LINE = re.compile(rf'"{CORE}==[^"]*"')


def project_files(root: Path) -> list[Path]:
    """Return the pyproject.toml of every distribution, the umbrella's first."""
    return [root / "pyproject.toml", *sorted(root.glob("nanobot_memory_plugins/*/pyproject.toml"))]


def projects(root: Path) -> dict[str, dict[str, Any]]:
    """Return the ``[project]`` table of every distribution, by its name."""
    tables = [tomllib.loads(file.read_text(encoding="utf-8"))["project"] for file in project_files(root)]
    return {table["name"]: table for table in tables}


def version_of(root: Path) -> str:
    """Return the version of the umbrella, which is that of all."""
    return str(projects(root)[UMBRELLA]["version"])


def problems(root: Path) -> list[str]:
    """Return where the distributions do not agree on one version, one sentence each."""
    found = projects(root)
    version = str(found[UMBRELLA]["version"])
    wrong = [] if _VERSION.fullmatch(version) else [f"{version} is no version of the form 1.2.3."]
    for name, table in found.items():
        if table["version"] != version:
            wrong.append(f"{name} is {table['version']}, and {UMBRELLA} is {version}.")
        needed = [one for one in table.get("dependencies", ()) if re.match(rf"{CORE}\b", one)]
        if name not in (UMBRELLA, CORE) and needed != [_core_needed(version)]:
            wrong.append(f"{name} needs {needed}, and not {_core_needed(version)}.")
    return wrong


def set_version(root: Path, version: str) -> None:
    """Write a version into every distribution, and what they need of core. Raises `ValueError` for what is none."""
    if not _VERSION.fullmatch(version):
        raise ValueError(f"{version} is no version of the form 1.2.3.")
    for file in project_files(root):
        text = _OWN_LINE.sub(f'version = "{version}"', file.read_text(encoding="utf-8"), count=1)
        file.write_text(_CORE_LINE.sub(f'"{_core_needed(version)}"', text), encoding="utf-8", newline="\n")


def _core_needed(version: str) -> str:
    """Return what a plugin needs of core: its minor version."""
    major, minor, *_ = version.split(".")
    return f"{CORE}=={major}.{minor}.*"
