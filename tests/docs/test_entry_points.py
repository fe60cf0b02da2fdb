"""entry_points.md says what the code says."""

import inspect
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from nanobot_memory_plugins.core import hookspecs
from nanobot_memory_plugins.core.config import config_from_mapping, plugin_options
from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.protocols import EntryAccess, MemoryTool, Store
from nanobot_memory_plugins.core.testing import call_hook, plugin_context
from nanobot_memory_plugins.core.testing.hooks import accepted_types
from nanobot_memory_plugins.core.text.reading import reading_of
from nanobot_memory_plugins.core.values import (
    ContextBlock,
    Message,
    Note,
    PromptEntries,
    Scope,
    Summary,
    Trace,
    Withheld,
)
from nanobot_memory_plugins.core.values.diagnosis import Finding
from tests.support.each import each

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "entry_points.md").read_text(encoding="utf-8")
HOOKS = {
    name: function
    for name, function in vars(hookspecs).items()
    if inspect.isfunction(function) and hasattr(function, f"{hookspecs.PROJECT_NAME}_spec")
}
ARGUMENTS = {
    "session_key": "cli:direct",
    "text": "when do we deploy?",
    "reading": reading_of("when do we deploy?"),
    "spoken": True,
    "replaceable": True,
    "history": (Message(role="user", text="hello"),),
    "messages": (Message(role="user", text="hello"),),
    "draft": "I am not sure",
    "tool_name": "exec",
    "arguments": {"command": "make"},
    "result": None,
    "error": "no rule",
    "duration_ms": 3.0,
    "ended": False,
    "context_tokens": 31_000,
    "context_window": 32_000,
    "room": 20_000,
    "reason": "token_pressure",
    "files": {"AGENTS.md": "# Agents\n", "TOOLS.md": "# Tools\n"},
    "overhead": {"AGENTS.md": 20, "TOOLS.md": 19},
    "long_term": "# Memory\n",
    "texts": ("When do we deploy",),
    "words": (),
    "ids": (),
    "nearly": False,
    "dry_run": False,
    "everywhere": False,
    "scope": Scope(),
}
# How many values each example answers with, and of which types.
ANSWERS = {
    "on_message_received": (1, (ContextBlock, Note)),
    "on_tool_executed": (1, (Note,)),
    "on_session_idle": (1, (Note,)),
    "before_compaction": (2, (Note, Summary)),
    "on_turn_finished": (1, (Note,)),
    "on_draft_written": (1, (ContextBlock,)),
    "trim_bootstrap": (1, (dict,)),
    "prompt_entries": (1, (PromptEntries,)),
    "open_store": (1, (Store,)),
    "share_store": (1, (Store,)),
    "open_entries": (1, (EntryAccess,)),
    "on_start": (0, ()),
    "on_stop": (0, ()),
    "contribute_tools": (1, (MemoryTool,)),
    "withheld_texts": (1, (Withheld,)),
    "on_purge": (1, (Trace,)),
    "diagnose": (1, (Finding,)),
}


def section(hook: str) -> str:
    found = re.search(rf"^### `{hook}\(.*?(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"{hook} has no section"
    return found[0]


def example(hook: str) -> str:
    (code,) = re.findall(r"```python\n(.*?)```", section(hook), re.DOTALL)
    return code


def test_there_are_hooks():
    assert set(HOOKS) == set(ANSWERS)


@pytest.mark.accept("PL-07")
@pytest.mark.parametrize("hook", HOOKS)
def test_the_heading_is_the_signature(hook: str):
    signature = re.sub(r"(?:\w+\.)+(\w+)", r"\1", str(inspect.signature(HOOKS[hook])))
    assert section(hook).splitlines()[0] == f"### `{hook}{signature}`"


@pytest.mark.accept("PL-07")
@pytest.mark.parametrize("hook", HOOKS)
def test_every_parameter_is_described_in_order(hook: str):
    described = re.findall(r"^\| `(\w+)` \| .+ \|$", section(hook), re.MULTILINE)
    assert described == list(inspect.signature(HOOKS[hook]).parameters)


@pytest.mark.accept("PL-07")
@pytest.mark.parametrize("hook", HOOKS)
async def test_the_example_runs_and_its_answer_is_accepted(hook: str, tmp_path: Path):
    module = ModuleType(f"example_{hook}")
    exec(compile(example(hook), f"entry_points.md:{hook}", "exec"), module.__dict__)
    wanted = {name: ARGUMENTS[name] for name in inspect.signature(HOOKS[hook]).parameters if name != "context"}
    count, types = ANSWERS[hook]
    values = await call_hook(module, hook, context=plugin_context(plugin_name="example", workspace=tmp_path), **wanted)
    assert len(values) == count
    assert all(isinstance(value, types) for value in values)
    if types:
        assert accepted_types(hook) == types


@pytest.mark.accept("PL-07")
def test_every_public_part_of_the_context_is_described():
    for name in (
        "plugin_name",
        "workspace",
        "options",
        "clock",
        "store",
        "complete",
        "redact",
        "visible_scope",
        "reading",
    ):
        assert hasattr(PluginContext, name)
        assert re.search(rf"^\| `{name}` \|", PAGE, re.MULTILINE)


@pytest.mark.parametrize("file", ["deadline_plugin.py", "test_deadline_plugin.py"])
def test_the_plugin_on_the_page_is_the_example_and_its_test(file: str):
    text = (ROOT / "examples" / "deadline_plugin" / file).read_text(encoding="utf-8")
    assert f"```python\n{text}```" in PAGE
    assert len([line for line in text.splitlines() if line.strip()]) <= (16 if file.startswith("deadline") else 10)


OPTIONS = re.findall(r"^\| [^|]+ \| `(\w+: [^`]+)`[^|]* \| `([^`]+)`", PAGE, re.MULTILINE)


@each(("declared", "configured"), OPTIONS)
def test_an_option_in_the_table_is_taken_from_the_configuration(declared: str, configured: str):
    names = {"BaseModel": BaseModel, "Field": Field, "Literal": Literal, "Path": Path, "__name__": __name__}
    exec(f"class Reminders(BaseModel):\n days: int = 1\nclass Options(BaseModel):\n {declared}\n", names)
    raw = json.loads(f"{{{configured}}}")
    config, problems = config_from_mapping({"memoryPlugins": {"deadline": raw}})
    options, wrong = plugin_options(config, "deadline", names["Options"])
    assert (problems, wrong) == ([], [])
    assert options != (None if "server" in declared else names["Options"]())
    without, _ = plugin_options(config_from_mapping({})[0], "deadline", names["Options"])
    assert (without is None) == ("server" in declared)


def test_there_are_such_options():
    assert len(OPTIONS) == 6
