"""The single version of all distributions: reads it from their pyproject.toml files, and sets it in all of them."""

import re
import tomllib
from pathlib import Path
from typing import Any

UMBRELLA = "nanobot-memory-plugins"
OWN = "nanobot-memory-"
_SHARED = ("authors", "classifiers", "keywords", "license", "requires-python", "urls")
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")
_OWN_LINE = re.compile(r'^version = "[^"]*"$', re.MULTILINE)
_OWN_NEED = re.compile(rf'"({OWN}[a-z-]+(?:\[[a-z,]+\])?)==[^"]*"')


def project_files(root: Path) -> list[Path]:
    """Return the pyproject.toml of every distribution, with the umbrella's first."""
    return [root / "pyproject.toml", *sorted(root.glob("nanobot_memory_plugins/*/pyproject.toml"))]


def projects(root: Path) -> dict[str, dict[str, Any]]:
    """Return the ``[project]`` table of every distribution by name."""
    tables = [tomllib.loads(file.read_text(encoding="utf-8"))["project"] for file in project_files(root)]
    return {table["name"]: table for table in tables}


def version_of(root: Path) -> str:
    """Return the version of the umbrella, which is that of all distributions."""
    return str(projects(root)[UMBRELLA]["version"])


def problems(root: Path) -> list[str]:
    """Return the disagreements between distributions in version and metadata, one sentence each."""
    found = projects(root)
    version = str(found[UMBRELLA]["version"])
    wrong = [] if _VERSION.fullmatch(version) else [f"{version} is no version of the form 1.2.3."]
    for name, table in found.items():
        if table["version"] != version:
            wrong.append(f"{name} is {table['version']}, and {UMBRELLA} is {version}.")
        wrong += [
            f"{name}: {key} is not that of {UMBRELLA}." for key in _SHARED if table.get(key) != found[UMBRELLA][key]
        ]
        extras = table.get("optional-dependencies", {}).values()
        needed = [*table.get("dependencies", ()), *(one for extra in extras for one in extra)]
        wrong += [
            f"{name} needs {one}, and not {one.partition('==')[0]}{_of_version(version)}."
            for one in needed
            if one.startswith(OWN) and not one.endswith(_of_version(version))
        ]
    return wrong


def set_version(root: Path, version: str) -> None:
    """Write a version into every distribution, and into what they need of each other.

    Raises `ValueError` for what is no version.
    """
    if not _VERSION.fullmatch(version):
        raise ValueError(f"{version} is no version of the form 1.2.3.")
    for file in project_files(root):
        text = _OWN_LINE.sub(f'version = "{version}"', file.read_text(encoding="utf-8"), count=1)
        file.write_text(_OWN_NEED.sub(rf'"\1{_of_version(version)}"', text), encoding="utf-8", newline="\n")


def _of_version(version: str) -> str:
    """Return what a distribution needs of another one: its minor version."""
    major, minor, *_ = version.split(".")
    return f"=={major}.{minor}.*"
