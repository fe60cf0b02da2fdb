"""A failing plugin does not change what its host answers, whatever it does wrong in any hook."""

import asyncio
import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from loguru import logger

from nanobot_memory_plugins.core import MemoryHost, MemoryService
from nanobot_memory_plugins.core.testing import install_plugin
from tests.behaviour.kit.failing import AT_ONCE, HANGING, SECRET, release
from tests.behaviour.kit.life import KEY, Life
from tests.behaviour.kit.model import ReadingModel
from tests.behaviour.kit.waiting import until

ROOT = Path(__file__).parents[3]
# Seconds, by limit: the witnesses need a thousandth of one.
SHORT = dict.fromkeys(("messageLimit", "toolLimit", "idleLimit", "compactionLimit", "startLimit"), 0.4)
LONG = dict.fromkeys(SHORT, 60)
SOURCE = """
from tests.behaviour.kit.failing import failing, witness
globals().update({0})
"""
HANGS_BEHIND_TURNS = """
import asyncio
from nanobot_memory_plugins.core import hookimpl

async def hang():
    await asyncio.Event().wait()

@hookimpl
async def on_session_idle():
    await hang()

@hookimpl
async def contribute_reading():
    await hang()

@hookimpl
async def before_compaction():
    await hang()
"""
CHAT = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hello"}]


@pytest.fixture(scope="module", autouse=True)
def _threads_end() -> Iterator[None]:
    yield
    release()


@pytest.fixture
def log() -> Iterator[list[str]]:
    """Collect the log messages."""
    lines: list[str] = []
    handler = logger.add(lines.append, level="DEBUG", format="{message}", backtrace=True, diagnose=True)
    yield lines
    logger.remove(handler)


def install_between_witnesses(install: Callable[..., None], *failing: str) -> None:
    """Install failing plugins between two good ones, the witnesses."""
    install("first", SOURCE.format("witness('first')"), alone=True)
    for number, call in enumerate(failing):
        install(f"broken{number}", SOURCE.format(call), alone=True)
    install("last", SOURCE.format("witness('last')"), alone=True)


async def call_everything(life: Life, limits: dict[str, float]) -> dict[str, object]:
    """Call the host in every way, and return what its user or its model sees."""
    async with life.host(core=limits) as memory:
        # At a time, so that those who hang cost their limit once.
        context, receipt, idle, summary, draft, turn = await asyncio.gather(
            memory.message_received(session_key=KEY, text="hello", history=CHAT),
            memory.tool_executed(session_key=KEY, tool_name="exec", arguments={"command": "ls"}, result="a.txt"),
            memory.session_idle(session_key=KEY, history=CHAT),
            memory.before_compaction(session_key=KEY, messages=CHAT, context_window=9_000, reason="token_pressure"),
            memory.review_draft(session_key=KEY, text="hello", draft="hello"),
            memory.turn_finished(session_key=KEY, messages=CHAT, context_window=9_000),
        )
        bootstrap = memory.trim_bootstrap({"AGENTS.md": "Be kind."})
        offered = {tool.name: tool for tool in memory.tools()}
        said = [await offered[f"{name}_tool"].run({}, session_key=KEY) for name in ("first", "last")]
        prompt = memory.prompt_entries(session_key=KEY).text
        found = {one.subject: one.state for one in await memory.diagnose()}
    notes = "".join(file.read_text(encoding="utf-8") for file in life.memory.glob("*.md"))
    return {
        "block": [line for line in (context.block or "").splitlines() if ": block" in line],
        "draft": [line for line in (draft or "").splitlines() if ": draft" in line],
        "stored": (context.receipt.stored, receipt.stored, idle.stored, turn.stored),
        "said": [one["text"] for one in life.transcript()],
        "summary": summary and (summary.text, summary.keep_from),
        "bootstrap": dict(bootstrap),
        "tools": said,
        "prompt": prompt,
        "well": [found.get(name) for name in ("first", "last")],
        "notes": sorted(found for found in re.findall(r"(?:first|last): \w+", notes)),
        "floods": "flood" in notes or SECRET in notes,
    }


@pytest.fixture(scope="module")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """The answers of a host with only the two witnesses."""
    folder = tmp_path_factory.mktemp("baseline")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("first", "last"):
            (folder / name).mkdir()
            install_plugin(folder / name, patch, name, SOURCE.format(f"witness({name!r})"))
        patch.setenv("NANOBOT_MEMORY_PLUGINS", "first,last")
        patch.setenv("HOME", str(folder))
        return asyncio.run(call_everything(Life(folder), LONG))


def test_the_baseline_contains_an_answer_of_every_hook(baseline: dict[str, object]):
    assert len(baseline["block"]) == len(baseline["draft"]) == 2
    assert baseline["stored"] == (True, True, True, True)
    assert "hello" in baseline["said"]
    assert ": summary" in str(baseline["summary"])
    assert baseline["tools"] == ["first: looked up", "last: looked up"]
    assert baseline["well"] == ["well", "well"]
    whats = ("message", "tool", "idle", "turn", "compaction")
    assert baseline["notes"] == sorted(f"{who}: {what}" for who in ("first", "last") for what in whats)
    assert "last." in str(baseline["bootstrap"])


async def check_answers(life: Life, limits: dict[str, float], baseline: dict[str, object], log: list[str]) -> None:
    """Check that the host answers as without the failing plugins, and that its loop, its task and its log are clean."""
    before = asyncio.all_tasks()
    assert await call_everything(life, limits) == baseline
    assert asyncio.all_tasks() <= before
    assert asyncio.current_task().cancelling() == 0
    assert SECRET not in "".join(log)


@pytest.mark.accept("PL-04", "V3-09")
@pytest.mark.parametrize("part", range(3))
async def test_failing_plugins_do_not_change_answers(
    life_without_model: Life, install, baseline, log, caplog, part: int
):
    calls = [f"failing({how!r}, is_async={is_async})" for how in AT_ONCE[part::3] for is_async in (False, True)]
    install_between_witnesses(install, *calls)
    with caplog.at_level(logging.DEBUG, "asyncio"):
        await check_answers(life_without_model, LONG, baseline, log)
    assert [record.message for record in caplog.records if record.name == "asyncio"] == []
    told = "".join(log)
    assert [call for number, call in enumerate(calls) if f"plugin broken{number} " not in told] == []


@pytest.mark.accept("PL-04")
async def test_an_answer_in_a_turn_is_bounded_to_100_values_and_200_000_characters(life_without_model: Life, install):
    install(
        "wordy",
        """
from nanobot_memory_plugins.core import Note, hookimpl

@hookimpl
def on_tool_executed(arguments):
    return [Note("x", "y" * arguments["characters"])] * arguments["values"]
""",
        alone=True,
    )
    stored = []
    async with life_without_model.host() as memory:
        for values, size in ((100, 10), (101, 10), (1, 199_000), (1, 201_000), (2, 110_000)):
            given = {"values": values, "characters": size}
            kept = await memory.tool_executed(session_key=KEY, tool_name="exec", arguments=given, result="a.txt")
            stored.append(kept.stored)
    assert stored == [True, False, True, False, False]


@pytest.mark.accept("PL-04")
async def test_a_plugin_rests_a_minute_after_three_failures_despite_late_ones(life_without_model: Life, install):
    life = life_without_model
    calls, go = life.folder / "calls", life.folder / "go"
    install(
        "late",
        f"""
import asyncio, pathlib
from nanobot_memory_plugins.core import hookimpl

@hookimpl
async def on_message_received(text):
    with open({str(calls)!r}, "a") as file:
        file.write(text + "\\n")
    while text == "late" and not pathlib.Path({str(go)!r}).exists():
        await asyncio.sleep(0.01)
    raise ValueError
""",
        alone=True,
    )
    async with life.host() as memory:
        late = asyncio.create_task(memory.message_received(session_key="a", text="late"))
        await until(lambda: calls.exists() and "late" in calls.read_text())
        for text in ("one", "two", "three", "resting"):
            await memory.message_received(session_key=KEY, text=text)
        life.clock.advance(50)
        go.touch()
        await late
        await memory.message_received(session_key=KEY, text="still resting")
        life.clock.advance(11)
        await memory.message_received(session_key=KEY, text="again")
    assert calls.read_text().split("\n") == ["late", "one", "two", "three", "again", ""]


@pytest.mark.accept("PL-04")
@pytest.mark.parametrize("part", [0, 1])
async def test_hanging_plugins_do_not_change_answers(life_without_model: Life, install, baseline, log, part: int):
    several = list(HANGING)[part::2]
    install_between_witnesses(install, *(f"failing({how!r})" for how in several))
    await check_answers(life_without_model, SHORT, baseline, log)
    for number in range(len(several)):
        assert any(f"plugin broken{number}" in line for line in log)


@pytest.mark.accept("PL-04")
def test_a_process_with_all_failing_plugins_exits_by_itself(tmp_path: Path):
    for name in ("first", *HANGING):
        call = f"failing({name!r})" if name in HANGING else "witness('first')"
        module = "third_party_" + name.replace(" ", "_")
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (tmp_path / f"{module}.py").write_text(SOURCE.format(call), encoding="utf-8")
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", encoding="utf-8")
        point = f"[nanobot_memory_plugins]\n{name.replace(' ', '_')} = {module}\n"
        (info / "entry_points.txt").write_text(point, encoding="utf-8")
    program = f"""
import asyncio, pathlib
from nanobot_memory_plugins.core import MemoryHost, load_config, logger
logger.remove()
pathlib.Path("config.json").write_text('{{"memoryPlugins": {{"core": {json.dumps(SHORT)}}}}}')
async def main():
    async with MemoryHost(pathlib.Path("workspace"), config=load_config(pathlib.Path("config.json"))) as memory:
        print("first: block" in ((await memory.message_received(session_key="a", text="hello")).block or ""))
asyncio.run(main())
"""
    names = ",".join(name.replace(" ", "_") for name in ("first", *HANGING))
    given = {"PYTHONPATH": f"{tmp_path}:{ROOT}", "NANOBOT_MEMORY_PLUGINS": names, "HOME": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env={**os.environ, **given},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (ended.returncode, ended.stdout) == (0, "True\n")
    assert "Error" not in ended.stderr


async def test_a_hanging_plugin_delays_idle_and_compaction_by_130_seconds_at_most(life: Life, install):
    install("hangs", HANGS_BEHIND_TURNS, alone=True)
    async with life.host() as memory:
        begun = life.clock.monotonic()
        await memory.message_received(session_key=KEY, text="hello")
        for call in (
            memory.session_idle(session_key=KEY, history=CHAT),
            memory.before_compaction(session_key=KEY, messages=CHAT, context_window=9_000, reason="token_pressure"),
        ):
            waiting = asyncio.ensure_future(call)
            while not waiting.done():
                if alarms := life.clock.alarms:
                    life.clock.advance(max(alarms))
                await asyncio.sleep(0)
        assert 60 < life.clock.monotonic() - begun <= 130


BAD_TOOLS = """
import asyncio, sys
from types import SimpleNamespace
from nanobot_memory_plugins.core import hookimpl

async def leave(arguments, *, session_key):
    sys.exit("gone")

def tool(name, **other):
    given = {"name": name, "description": "", "parameters": {}, "run": leave, **other}
    return SimpleNamespace(**given)

@hookimpl
def contribute_tools():
    wrong = [{"description": None}, {"parameters": None}, {"parameters": {(1, 2): 3}}, {"parameters": {"a": leave}}]
    return [tool(["a"]), tool(5), *(tool(f"wrong{n}", **one) for n, one in enumerate(wrong)), tool("leaves")]
"""


def test_invalid_or_exiting_tools_do_not_affect_others(tmp_path: Path, install):
    install("first", SOURCE.format("witness('first')"), alone=True)
    install("broken", BAD_TOOLS, alone=True)
    with MemoryService(tmp_path / "workspace") as memory:
        tools = {tool.name: tool for tool in memory.tools()}
        assert set(tools) == {"first_tool", "leaves", "off_record"}
        assert tools["leaves"].run({}, session_key=KEY).now().startswith("Error: ")
        assert memory.call(leave).now() is None
        assert tools["first_tool"].run({}, session_key=KEY).now() == "first: looked up"
        assert ": block" in (memory.turn(KEY).received("hello").now() or "")


async def leave(_memory: MemoryHost) -> None:
    """Exit the process, in place of a method of a plugin's store or entries."""
    sys.exit(3)


BAD_PARTS = """
import sys
from nanobot_memory_plugins.core import hookimpl
from nanobot_memory_plugins.core.values.session_reading import ReadingPart

def fail(*_):
    sys.exit("gone")

async def leave(*_):
    sys.exit("gone")

async def nonsense(*_):
    return [5]

@hookimpl
def contribute_reading():
    return [ReadingPart("entries", take, known=take) for take in (fail, leave, nonsense)]
"""


async def test_failing_parts_of_a_reading_do_not_affect_the_others(life: Life, model: ReadingModel, install):
    install("broken", BAD_PARTS)
    model.learn("The user's dog is called Rex", "My dog is called Rex")
    async with life.host() as memory:
        await memory.message_received(session_key=KEY, text="My dog is called Rex.")
        await memory.message_sent(session_key=KEY, text="A fine name.")
        await memory.session_idle(session_key=KEY, ended=True)
    assert [one["content"] for one in life.entries()] == ["The user's dog is called Rex"]
