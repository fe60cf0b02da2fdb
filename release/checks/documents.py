"""Checks of the documents: links, commands, examples, dependencies and acceptance rows."""

import ast
import asyncio
import importlib.util
import inspect
import json
import os
import re
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.config.mapping import config_from_mapping
from nanobot_memory_plugins.core.config.options import plugin_options
from release.changelog import sections
from release.checks.command_lines import command_lines, fault_of
from release.checks.listed import ROOT, check
from release.checks.pages import DOCS, ENTRY_POINTS, PAGES, README, REPOSITORY, broken_links, read
from release.pages.configuration import MODELS
from release.versions import OWN, project_files, projects

_ROW = re.compile(r"^\| (?P<row>[A-Z0-9]{2}-\d{2}) \| (?P<state>\w+) \|", re.MULTILINE)


@check("links of documents lead somewhere")
def links() -> Iterator[str]:
    """A link names an existing file, and an existing heading if it has one."""
    for path in PAGES:
        yield from (f"{path.relative_to(ROOT)}: {link}" for link in broken_links(path))


@check("the README and mkdocs.yml name every document")
def listed_documents() -> Iterator[str]:
    """MkDocs itself reports missing pages."""
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in sorted(DOCS.rglob("*.md")):
        name = page.relative_to(DOCS).as_posix()
        if len(re.findall(rf"[ ]{re.escape(name)}$", site, re.MULTILINE)) != 1:
            yield f"mkdocs.yml: {name}"
        if page.parent == DOCS and f"{REPOSITORY}docs/{name}" not in read(README).links:
            yield f"README.md: docs/{name}"


@check("every module and folder that a document names is there")
def modules() -> Iterator[str]:
    """By its path in the project, or in the folder of the distributions. `memory/` belongs to a workspace."""
    for path in PAGES:
        for name in sorted(
            set(re.findall(r"`(?!memory/)([a-z_]+(?:/[a-z_]+)+(?:\.(?:py|toml))?)/?`", path.read_text("utf-8")))
        ):
            if not any((ROOT / folder / name).exists() for folder in ("", "nanobot_memory_plugins")):
                yield f"{path.relative_to(ROOT)}: {name}"


@check("every command in a document is one that there is")
def commands() -> Iterator[str]:
    """The program parses our commands. In others, modules, files and make targets are checked."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for line in dict.fromkeys(line for path in PAGES for line in command_lines(path)):
        program, *rest = line.words
        if line.is_ours:
            if fault := fault_of(line):
                yield f"{line}: {fault}"
        elif program == "python" and rest[:1] == ["-m"]:
            if importlib.util.find_spec(rest[1]) is None:
                yield f"{line}: there is no module {rest[1]}"
        elif program in ("python", "pytest"):
            yield from (f"{line}: no {file}" for file in rest if "/" in file and not (ROOT / file).exists())
        elif program == "make" and f"\n{rest[0]}:" not in makefile:
            yield f"{line}: no such target"


@check("examples of code and configuration in documents are accepted")
def examples() -> Iterator[str]:
    """Python is run with a memory, and JSON may hold only options that exist."""
    for path in PAGES:
        for language, text, line in read(path).code:
            where = f"{path.relative_to(ROOT)}:{line}"
            try:
                if language == "python" and path != ENTRY_POINTS:  # it has tests of its own
                    asyncio.run(_run(text))
                elif language == "json":
                    yield from (f"{where}: {one}" for one in _wrong_options(json.loads(text)))
            except Exception as error:
                yield f"{where}: {error!r}"


async def _run(code: str) -> None:
    os.environ["NANOBOT_MEMORY_PLUGINS"] = "bootstrap,consolidation,recall"
    with tempfile.TemporaryDirectory() as made:
        async with MemoryHost(Path(made) / "given", config=MemoryConfig()) as memory:
            names = {"workspace": Path(made), "complete": _complete, "memory": memory, "agents": "# Agents\n"}
            result = eval(compile(code, "example", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)  # noqa: S307
            if inspect.iscoroutine(result):
                await result


async def _complete(messages: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
    return "NO_REPLY"


def _wrong_options(raw: dict[str, Any]) -> Iterator[str]:
    raw = raw.get("channels", raw)["memoryPlugins"]
    known = [*MODELS, *(folder.name.partition("_")[0] for folder in (ROOT / "examples").iterdir()), "nanobot"]
    config = config_from_mapping({"memoryPlugins": raw}, known_plugins=known)
    yield from map(str, config.problems)
    for name in config.plugins:
        if name in MODELS:
            yield from map(str, plugin_options(config, name, MODELS[name])[1])


@check("docs/dependencies.md names every dependency, and no other")
def dependencies() -> Iterator[str]:
    """Every distribution's dependencies are listed with a reason, and those of development by name."""
    page = (DOCS / "dependencies.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("|")]
    told = {name.strip() for row in rows if len(row) == 4 for name in row[0].split(",")} - {"package", "---"}
    needed = {
        Requirement(line).name
        for project in projects(ROOT).values()
        for lines in (project.get("dependencies", []), *project.get("optional-dependencies", {}).values())
        for line in lines
        if not line.startswith(OWN)
    }
    yield from (f"not told: {name}" for name in sorted(needed - told))
    yield from (f"not needed: {name}" for name in sorted(told - needed))
    development = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]["dev"]
    names = {Requirement(line).name for line in development if not line.startswith(OWN)}
    yield from (f"not told: {name}" for name in names if not re.search(rf"\b{re.escape(name)}\b", page))


@check("CHANGELOG.md begins with what comes next, and has each version once")
def changelog() -> Iterator[str]:
    """The release reads the format of Keep a Changelog."""
    versions = [one.version for one in sections((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))]
    if versions[:1] != ["Unreleased"] or len(set(versions)) != len(versions):
        yield f"sections: {versions}"


@check("every distribution carries the licence")
def licence() -> Iterator[str]:
    """Each has the project's own file."""
    text = (ROOT / "LICENSE").read_bytes()
    yield from (str(f) for f in project_files(ROOT) if (f.parent / "LICENSE").read_bytes() != text)


@check("every row of docs/acceptance.md that is shown is carried by a test")
def acceptance() -> Iterator[str]:
    """Tests name rows as literals in ``pytest.mark.accept``. No test may name an open row."""
    text = (DOCS / "acceptance.md").read_text(encoding="utf-8")
    rows = {match["row"]: match["state"] for match in _ROW.finditer(text)}
    carried = set()
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        source = file.read_text(encoding="utf-8")
        for call in ast.walk(ast.parse(source)) if "mark.accept" in source else ():
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.accept":
                carried |= {str(argument.value) for argument in call.args if isinstance(argument, ast.Constant)}
    yield from (
        f"{row} is shown, and no test carries it" for row in rows if rows[row] == "shown" and row not in carried
    )
    yield from (f"{row} is {state}" for row, state in rows.items() if state != "shown" and row in carried)
    yield from (f"{row} is carried, and there is no such row" for row in sorted(carried - set(rows)))
