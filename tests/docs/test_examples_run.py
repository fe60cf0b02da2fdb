"""Examples in Python, JSON and TOML of every document do what the text around them says."""

import ast
import inspect
import json
import tomllib
from pathlib import Path

import pytest

from docs.make_configuration import MODELS
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.config import config_from_mapping, plugin_options
from tests.docs.pages import ENTRY_POINTS, PAGES, ROOT, read
from tests.support.each import each

# Those of entry_points.md are run by test_entry_points.py, test_importers.py and test_rules_and_stores.py.
PYTHON = [
    pytest.param(text, id=f"{path.name}:{line}")
    for path in PAGES
    if path != ENTRY_POINTS
    for language, text, line in read(path).code
    if language == "python"
]
BLOCKS = [(path, language, text, line) for path in PAGES for language, text, line in read(path).code]
JSON = [pytest.param(t, id=f"{path.name}:{line}") for path, lang, t, line in BLOCKS if lang == "json"]
TOML = [pytest.param(t, id=f"{path.name}:{line}") for path, lang, t, line in BLOCKS if lang == "toml"]
# "text" holds what is not run: commands that are wrong on purpose.
KNOWN_LANGUAGES = {"", "sh", "python", "json", "toml", "markdown", "text", "yaml"}


async def complete(messages: list, *, max_tokens: int, purpose: str) -> str:
    return "NO_REPLY"


@pytest.mark.parametrize("code", PYTHON)
async def test_an_example_runs(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """With what the text around it takes for given: a workspace, a model, a memory that has started."""
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "bootstrap,consolidation,recall")
    async with MemoryHost(tmp_path / "given", config=MemoryConfig()) as memory:
        names = {"workspace": tmp_path / "workspace", "complete": complete, "memory": memory, "agents": "# Agents\n"}
        compiled = compile(code, "example", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        result = eval(compiled, names)
        if inspect.iscoroutine(result):
            await result
    assert set(names) > {"workspace", "complete", "memory", "agents", "__builtins__"}


def test_there_are_such_examples():
    assert {param.id.partition(":")[0] for param in PYTHON} >= {
        "README.md",
        "README.zh-CN.md",
        "bootstrap.md",
        "entries.md",
    }
    assert len(JSON) >= 4
    assert len(TOML) >= 4


@each("text", JSON)
def test_a_configuration_holds_options_that_there_are(text: str):
    raw = json.loads(text)
    raw = raw.get("channels", raw)["memoryPlugins"]
    config, problems = config_from_mapping(
        {"memoryPlugins": raw}, known_plugins=[*MODELS, "shelf", "deadline", "nanobot"]
    )
    assert problems == []
    for name in config.plugins:
        if name in MODELS:
            assert plugin_options(config, name, MODELS[name])[1] == []
        else:
            assert [*(ROOT / "examples").glob(f"{name}_*/pyproject.toml")]


@pytest.mark.parametrize("text", TOML)
def test_an_entry_point_is_in_a_group_that_there_is(text: str):
    (group,) = tomllib.loads(text)["project"]["entry-points"]
    assert f"| `{group}` |" in ENTRY_POINTS.read_text(encoding="utf-8")


def test_every_block_says_what_it_is_in():
    assert {language for _, language, _, _ in BLOCKS} <= KNOWN_LANGUAGES
