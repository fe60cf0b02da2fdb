"""entry_points.md and examples/every_hook.py say what the code says."""

import dataclasses
import inspect
import json
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from nanobot_memory_plugins.core import entry_points as installed
from nanobot_memory_plugins.core import hookspecs
from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.host.discovery import accepted_types
from nanobot_memory_plugins.core.host.turn import Turn
from nanobot_memory_plugins.core.protocols import EntryAccess, MemoryTool, Store
from nanobot_memory_plugins.core.testing import plugin_context, run_hook_async
from nanobot_memory_plugins.core.transfer import ImportedMessage, ImportedNote, Skipped
from nanobot_memory_plugins.core.transfer.importing import import_from
from nanobot_memory_plugins.core.values import (
    ContextBlock,
    Note,
    PromptEntries,
    Summary,
    Trace,
)
from nanobot_memory_plugins.core.values.diagnosis import Finding
from nanobot_memory_plugins.core.values.session_reading import ReadingPart, ReadingRequest
from tests.support.third_party import EXAMPLES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "entry_points.md").read_text(encoding="utf-8")
SHARED = {"session_key", "scope", "context"}
FOUR = ("on_message_received", "on_tool_executed", "on_session_idle", "before_compaction")
HOOKS = {
    name: function
    for name, function in vars(hookspecs).items()
    if inspect.isfunction(function) and hasattr(function, f"{hookspecs.PROJECT_NAME}_spec")
}
# What the examples look for in what they are handed.
TOLD = {
    "text": "when do we deploy?",
    "draft": "I am not sure",
    "error": "no rule",
    "context_tokens": 31_000,
    "context_window": 32_000,
    "long_term": "# Memory\n",
    "texts": ("When do we deploy",),
    "unread": {"entries": 1},
}
# How many values each example answers with, and of which types.
ANSWERS = {
    "on_message_received": (1, (ContextBlock, Note)),
    "on_tool_executed": (1, (Note,)),
    "on_session_idle": (1, (Note,)),
    "before_compaction": (2, (Note, Summary)),
    "on_turn_finished": (1, (Note, ReadingRequest)),
    "contribute_reading": (1, (ReadingPart,)),
    "on_draft_written": (1, (ContextBlock,)),
    "trim_bootstrap": (1, (dict,)),
    "prompt_entries": (1, (PromptEntries,)),
    "open_store": (1, (Store,)),
    "open_shared_store": (1, (Store,)),
    "open_entries": (1, (EntryAccess,)),
    "on_start": (0, ()),
    "on_stop": (0, ()),
    "contribute_tools": (1, (MemoryTool,)),
    "on_purge": (1, (Trace,)),
    "diagnose": (1, (Finding,)),
}


def every_hook() -> ModuleType:
    module = ModuleType("every_hook")
    source = (EXAMPLES / "every_hook.py").read_text(encoding="utf-8")
    exec(compile(source, "every_hook.py", "exec"), module.__dict__)
    return module


def section(hook: str) -> str:
    found = re.search(rf"^### `{hook}\(.*?(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"{hook} has no section"
    return found[0]


@pytest.mark.accept("PL-07")
def test_every_hook_is_implemented_by_the_example_and_named_on_the_page():
    implemented = {name for name, one in vars(every_hook()).items() if hasattr(one, f"{hookspecs.PROJECT_NAME}_impl")}
    assert set(HOOKS) == set(ANSWERS) == implemented
    assert [hook for hook in HOOKS if f"`{hook}`" not in PAGE and f"`{hook}(" not in PAGE] == []


@pytest.mark.accept("PL-07")
@pytest.mark.parametrize("hook", FOUR)
def test_the_heading_of_the_four_is_the_signature_and_every_parameter_is_described_in_order(hook: str):
    signature = inspect.signature(HOOKS[hook])
    written = re.sub(r"(?:\w+\.)+(\w+)", r"\1", str(signature))
    assert section(hook).splitlines()[0] == f"### `{hook}{written}`"
    own = [name for name in signature.parameters if name not in SHARED]
    assert re.findall(r"^\| `(\w+)` \| .+ \|$", section(hook), re.MULTILINE) == own


@pytest.mark.accept("PL-07")
@pytest.mark.parametrize("hook", sorted(set(HOOKS) - set(FOUR)))
def test_the_docstring_of_the_others_names_every_parameter_of_their_own(hook: str):
    own = set(inspect.signature(HOOKS[hook]).parameters) - SHARED
    documented = inspect.getdoc(HOOKS[hook]) or ""
    assert documented
    assert [name for name in own if f"``{name}" not in documented] == []


@pytest.mark.accept("PL-07")
@pytest.mark.parametrize("hook", HOOKS)
async def test_the_example_runs_and_its_answer_is_accepted(hook: str, tmp_path: Path):
    wanted = {name: value for name, value in TOLD.items() if name in inspect.signature(HOOKS[hook]).parameters}
    count, types = ANSWERS[hook]
    context = plugin_context(plugin_name="example", workspace=tmp_path)
    values = await run_hook_async(every_hook(), hook, context=context, **wanted)
    assert len(values) == count
    assert all(isinstance(value, types) for value in values)
    if types:
        assert accepted_types(HOOKS[hook]) == types


async def test_the_host_of_the_page_recalls_what_its_user_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file, patient = tmp_path / "patient.json", {"core": {"messageLimit": 60}, "recall": {"recallTimeout": 60}}
    file.write_text(json.dumps({"memoryPlugins": patient}), encoding="utf-8")
    monkeypatch.setenv("NANOBOT_MEMORY_CONFIG", str(file))
    (code,) = re.findall(r"```python\n(from nanobot_memory_plugins.core import MemoryHost\n.*?)```", PAGE, re.DOTALL)
    module = ModuleType("smallest_host")
    exec(compile(code, "entry_points.md:host", "exec"), module.__dict__)
    assert len(code.splitlines()) <= 30
    assert "port 5433" in await module.__dict__["main"](tmp_path / "ws")


@pytest.mark.accept("PL-07")
def test_every_public_part_of_the_context_is_described():
    fields = {field.name for field in dataclasses.fields(PluginContext)}
    assert len(fields) <= 10
    for name in fields | {"store", "entries", "keep"}:
        assert re.search(rf"^\| `{name}` \|", PAGE, re.MULTILINE)


def part(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


@pytest.mark.accept("PL-07")
def test_every_group_of_entry_points_is_described():
    described = re.findall(r"^\| `([\w.]+)` \|", part("Entry points"), re.MULTILINE)
    ours = [value for name, value in vars(installed).items() if name.endswith("_GROUP")]
    assert sorted(described) == sorted([*ours, "nanobot.tools"])


@pytest.mark.parametrize("item", [ImportedMessage, ImportedNote, Skipped], ids=lambda item: item.__name__)
def test_every_field_of_an_imported_item_is_described_in_order(item: type):
    (row,) = re.findall(rf"^\| `{item.__name__}` \| (.+) \|$", part("Importers"), re.MULTILINE)
    assert row == ", ".join(f"`{field.name}`" for field in dataclasses.fields(item))


def test_what_the_page_shows_of_the_examples_is_what_they_hold():
    for file in ("deadline_plugin.py", "test_deadline_plugin.py"):
        assert f"```python\n{(EXAMPLES / 'deadline_plugin' / file).read_text(encoding='utf-8')}```" in PAGE
    for title, name in (("A rule that hides more", "badge_rule"), ("A store elsewhere", "shelf_store")):
        (code,) = re.findall(r"```toml\n(.*?)```", part(title), re.DOTALL)
        project = tomllib.loads((EXAMPLES / name / "pyproject.toml").read_text(encoding="utf-8"))
        assert tomllib.loads(code)["project"]["entry-points"] == project["project"]["entry-points"]


def test_the_example_of_an_importer_imports_dates_and_reports(tmp_path: Path):
    (code,) = re.findall(r"```python\n(.*?)```", part("Importers"), re.DOTALL)
    module = ModuleType("tide_importer")
    exec(compile(code, "entry_points.md:Importers", "exec"), module.__dict__)
    importer = module.__dict__["read_tides"]
    source = tmp_path / "log.tides"
    source.write_text("2026-03-02 high at 11:40\nno date\n2026-03-03 low at 05:10\n")
    report = import_from(importer, "tides", source, tmp_path / "mine")
    assert report.skipped == {("log.tides", "it does not begin with a date"): [2]}
    written = {file.name: file.read_text() for file in (tmp_path / "mine" / "memory").glob("2026*.md")}
    assert "high at 11:40" in written["2026-03-02.md"]
    assert "low at 05:10" in written["2026-03-03.md"]


def test_a_host_is_told_of_calls_of_a_turn_that_there_are():
    told = re.findall(r"\bturn\.(\w+)\(", PAGE + (ROOT / "docs" / "hosts.md").read_text(encoding="utf-8"))
    assert told
    assert [name for name in told if not hasattr(Turn, name)] == []
