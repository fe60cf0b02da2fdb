"""docs/dependencies.md names every dependency of every distribution, who uses it and why."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
OWN = re.compile(r"nanobot-memory-")


def rows() -> dict[str, tuple[str, str]]:
    """Return who uses each package of the table, and for what."""
    found = {}
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 4 and cells[0] not in ("package", "---"):
            found |= {name.strip(): (cells[1], cells[2]) for name in cells[0].split(",")}
    return found


def needed() -> dict[str, set[str]]:
    """Return the folders whose pyproject.toml names each package, extras as `folder, extra`."""
    found: dict[str, set[str]] = {}
    for file in ROOT.glob("nanobot_memory_plugins/*/pyproject.toml"):
        project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        lists = {file.parent.name: project.get("dependencies", [])}
        lists |= {
            f"{file.parent.name}, {extra}": one for extra, one in project.get("optional-dependencies", {}).items()
        }
        for who, lines in lists.items():
            for line in lines:
                if not OWN.match(line):
                    found.setdefault(Requirement(line).name, set()).add(who)
    return found


def test_every_dependency_stands_in_the_table_with_its_reason_and_no_other():
    assert set(rows()) == set(needed())
    assert [name for name, (_, reason) in rows().items() if len(reason) < 10] == []


def test_the_table_names_who_uses_it():
    everybody = {"plugins", "plugins with commands"}
    wrong = []
    for name, folders in needed().items():
        said = {one.strip() for one in rows()[name][0].split(",")}
        for folder in folders:
            plain, _, extra = folder.partition(", ")
            if not ((plain in said and (not extra or f"extra `{extra}`" in said)) or (not extra and everybody & said)):
                wrong.append(f"{name}: {folder}")
        wrong += [
            f"{name}: {one}"
            for one in said - everybody
            if "extra" not in one and not any(f.startswith(one) for f in folders)
        ]
    assert not wrong, wrong


def test_what_development_needs_is_named():
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    names = {Requirement(line).name for line in groups["dev"] if not OWN.match(line)}
    assert [name for name in names if not re.search(rf"\b{re.escape(name)}\b", PAGE)] == []
    assert [group for group in set(groups) - {"dev"} if f"`{group}`" not in PAGE] == []
