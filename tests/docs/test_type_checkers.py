"""mypy --strict and pyright take what entry_points.md shows, and refuse what a plugin or a host gets wrong."""

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.core import PluginContext, hookspecs, typing
from tests.docs.pages import ENTRY_POINTS, ROOT
from tests.docs.test_entry_points import HOOKS
from tests.support.each import each

# Each kind of mistake, for every hook: the name of the hook, an argument's name, its type, and what is returned.
MISTAKES = """
from nanobot_memory_plugins.core import PluginContext, hookimpl


@hookimpl.{hook}x
def misspelt_hook(**_: object) -> None: ...


@hookimpl.{hook}
def misspelt_argument({argument}x: object, **_: object) -> None: ...


@hookimpl.{hook}
def argument_of_another_type({argument}: complex, **_: object) -> None: ...


@hookimpl.{hook}
def another_answer(**_: object) -> complex: ...


class Plugin:
    @hookimpl.{hook}
    async def misspelt_argument_of_a_method(self, {argument}x: object, **_: object) -> None: ...

    @hookimpl.{hook}(trylast=True)
    def another_answer_of_a_method(self, **_: object) -> complex: ...
"""
HOST = """
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from nanobot_memory_plugins.core import MemoryHost, PluginContext, hookimpl


class Options(BaseModel):
    cups: int = 1


async def complete(messages: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
    return "tea"


async def right(workspace: str, context: PluginContext[Options], any_options: PluginContext) -> int:
    async with MemoryHost(workspace, llm=complete) as memory:
        await memory.message_received(session_key="cli:one", text="tea?")
    if context.complete is not None:
        await context.complete([{"role": "user", "content": "tea?"}], max_tokens=10, purpose="tea")
    print(any_options.options.whatever)
    return context.options.cups


@hookimpl.on_start
async def start(context: PluginContext[Options], **_: object) -> None: ...


async def prompted(prompt: str, *, max_tokens: int, purpose: str) -> str:
    return prompt


async def wrong(context: PluginContext[Options], memory: MemoryHost) -> None:
    MemoryHost("there", llm=prompted)  # wrong
    await memory.message_received(session="cli:one", text="tea?")  # wrong
    print(context.options.cusp)  # wrong
    if context.complete is not None:
        await context.complete([], tokens=10, purpose="tea")  # wrong
"""


def numbered(source: str, wrong: Callable[[str], bool]) -> list[set[int]]:
    """Return the lines of each part of a source that has to be refused: a statement, up to the next empty line."""
    parts: list[set[int]] = []
    fresh = True
    for number, line in enumerate(source.splitlines(), 1):
        if not line:
            fresh = True
        elif wrong(line):
            parts.append({number})
            fresh = False
        elif not fresh:
            parts[-1].add(number)
    return parts


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every example of the page, and the same mistakes for every hook."""
    folder = tmp_path_factory.mktemp("written_from_the_page")
    page = ENTRY_POINTS.read_text(encoding="utf-8")
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", page, re.DOTALL)):
        if "def test_" not in code:
            (folder / f"right_{number}.py").write_text(code, encoding="utf-8")
    for example in (ROOT / "examples").rglob("[!t]*.py"):  # not the tests
        if "nanobot_memory_plugins.hosts" in example.read_text(encoding="utf-8"):
            continue  # its framework is not installed here: tests/hosts runs it
        (folder / f"right_{example.name}").write_text(example.read_text(encoding="utf-8"), encoding="utf-8")
    for hook, function in HOOKS.items():
        argument = next(iter(inspect.signature(function).parameters))
        (folder / f"wrong_{hook}.py").write_text(MISTAKES.format(hook=hook, argument=argument), encoding="utf-8")
    (folder / "host.py").write_text(HOST, encoding="utf-8")
    return folder


def with_mypy(folder: Path) -> Mapping[str, set[int]]:
    """Return the lines with errors, by file. The cache is kept beside that of the project: another strictness."""
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={ROOT}/.mypy_cache/page", "."]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    assert said.returncode in (0, 1), said.stderr
    found: dict[str, set[int]] = {}
    for file, line in re.findall(r"^(\w+\.py):(\d+): error:", said.stdout, re.MULTILINE):
        found.setdefault(file, set()).add(int(line))
    return found


def with_pyright(folder: Path) -> Mapping[str, set[int]]:
    """Return the lines with errors, by file."""
    pytest.importorskip("pyright", reason="pyright is of the group dev: `uv sync`")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson", "."]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    assert said.returncode in (0, 1), said.stdout + said.stderr
    found: dict[str, set[int]] = {}
    for one in json.loads(said.stdout)["generalDiagnostics"]:
        if one["severity"] == "error":
            found.setdefault(Path(one["file"]).name, set()).add(one["range"]["start"]["line"] + 1)
    return found


@pytest.mark.parametrize("checker", [with_mypy, pytest.param(with_pyright, marks=pytest.mark.slow)])
def test_what_the_page_shows_passes_and_every_mistake_is_refused(
    checker: Callable[[Path], Mapping[str, set[int]]], plugins: Path
):
    found = checker(plugins)
    assert {file: lines for file, lines in found.items() if file.startswith("right_")} == {}
    for file in sorted(plugins.glob("wrong_*.py")):
        mistakes = numbered(file.read_text(encoding="utf-8"), lambda line: "@hookimpl" in line)
        assert len(mistakes) == 6
        assert [part for part in mistakes if not part & found[file.name]] == [], file.name
    lines = enumerate(HOST.splitlines(), 1)
    assert found["host.py"] == {number for number, line in lines if line.endswith("# wrong")}


@each("hook", HOOKS)
def test_the_protocol_of_a_hook_is_its_specification(hook: str):
    protocol = getattr(typing, "".join(part.title() for part in hook.split("_")) + "Hook")
    checked, specified = inspect.signature(protocol.__call__), inspect.signature(HOOKS[hook])
    assert list(checked.parameters) == ["_", "self", *specified.parameters]
    for name, parameter in specified.parameters.items():
        annotation = PluginContext[Any] if name == "context" else parameter.annotation
        assert checked.parameters[name].annotation == annotation
    answer = specified.return_annotation
    plain = (answer, typing.Answer[answer])
    assert checked.return_annotation in plain
    assert (checked.return_annotation == answer) == (hook in ("trim_bootstrap", "prompt_entries"))


def test_every_hook_has_its_decorator_and_no_other():
    decorators = {name for name, value in vars(type(hookspecs.hookimpl)).items() if not name.startswith("_")}
    assert decorators == set(HOOKS)
