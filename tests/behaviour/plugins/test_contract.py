"""What authors of plugins rely on: calls of hooks, their answers, and the testing kit."""

import subprocess
import sys
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from pydantic import BaseModel

from nanobot_memory_plugins.core import (
    ContextBlock,
    Message,
    Note,
    PluginContext,
    PluginError,
    Query,
    SearchResult,
    Store,
    Summary,
    hookimpl,
    logger,
)
from nanobot_memory_plugins.core.testing import ManualClock, StoreContract, plugin_context, run_hook, run_hook_async
from tests.behaviour.kit.life import KEY, Conversation, Life, keep_notes
from tests.behaviour.kit.model import search_call
from tests.behaviour.kit.scored_store import install_scored_store
from tests.behaviour.kit.waiting import until

ASKS = """
from nanobot_memory_plugins.core import ContextBlock, Note, hookimpl

CALLS = []

@hookimpl
async def on_message_received(text, scope, context):
    CALLS.append((text, scope.session, context.plugin_name))
    return [ContextBlock("a block"), Note("a note")]

@hookimpl
def on_tool_executed(*, error, tool_name="none", of_tomorrow="default"):
    CALLS.append((error, tool_name, of_tomorrow))
    return (Note("failed"), Note("again")) if error else None

@hookimpl
def on_session_idle():
    CALLS.append("idle")

@hookimpl
def before_compaction(messages, **more):
    CALLS.append((len(messages), {"session_key", "context_window", "reason", "scope"} <= more.keys()))
"""
CHANGES = """
import contextlib
from nanobot_memory_plugins.core import hookimpl

def change(value, depth=5):
    if depth == 0 or isinstance(value, (str, int, float, type(None))):
        return
    names = [name for name in dir(value) if not name.startswith("_")]
    inside = list(value) if isinstance(value, (tuple, list)) else list(getattr(value, "values", list)())
    for one in (*inside, *(getattr(value, name, None) for name in names)):
        if not callable(one):
            change(one, depth - 1)
    for name in names:
        with contextlib.suppress(Exception):
            setattr(value, name, "EVIL")
    for way in ("clear", "append", "__setitem__"):
        with contextlib.suppress(Exception):
            getattr(value, way)(*{"clear": [], "append": ["EVIL"], "__setitem__": [0, "EVIL"]}[way])

@hookimpl(tryfirst=True)
def on_message_received(history, scope):
    change(history), change(scope)

@hookimpl(tryfirst=True)
def on_tool_executed(arguments, result, scope):
    change(arguments), change(result), change(scope)
"""
SEES = """
from nanobot_memory_plugins.core import Note, hookimpl

@hookimpl(trylast=True)
async def on_message_received(history, scope):
    return Note(f"{[(one.role, one.text) for one in history]} of {scope.user}")

@hookimpl(trylast=True)
def on_tool_executed(arguments, result, scope):
    return Note(f"{arguments['nested'][0]['deep']} and {result['rows'][1]} of {scope.user}")
"""
FLAKY = """
from nanobot_memory_plugins.core import ContextBlock, hookimpl

CALLS, WELL = [], []

@hookimpl
async def on_message_received():
    CALLS.append(1)
    if not WELL:
        raise ValueError
    return ContextBlock("well again")

@hookimpl
def on_draft_written():
    return ContextBlock("a draft")
"""


def notes_of(life: Life) -> str:
    return "".join(file.read_text(encoding="utf-8") for file in life.memory.glob("????-??-??.md"))


async def test_a_hook_gets_its_parameters_and_may_answer_with_one_several_or_no_values(
    life_without_model: Life, install
):
    install("asks", ASKS, alone=True)
    async with life_without_model.host() as memory:
        import third_party_asks

        assert "a block" in await Conversation(memory).turn("hello")
        given = {"session_key": KEY, "arguments": {}}
        failed = await memory.tool_executed(tool_name="exec", error="no", **given)
        fine = await memory.tool_executed(tool_name="exec", result="yes", **given)
        await Conversation(memory).idle()
        said = {"role": "user", "content": "x"}
        assert await Conversation(memory, history=[said]).compact() is None
    assert third_party_asks.CALLS == [
        ("hello", KEY, "asks"),
        ("no", "exec", "default"),
        (None, "exec", "default"),
        "idle",
        (1, True),
    ]
    assert (failed.stored, len(failed.notes), fine.stored) == (True, 2, False)
    assert all(f"{text}\n" in notes_of(life_without_model) for text in ("a note", "failed", "again"))


@pytest.mark.accept("PL-04")
async def test_plugins_cannot_change_the_arguments_of_others(life_without_model: Life, install):
    install("changes", CHANGES)
    install("sees", SEES)
    history = [{"role": "user", "content": "first"}, {"role": "assistant", "content": "second"}]
    arguments, result = {"nested": [{"deep": "sea"}]}, {"rows": [1, "two"]}
    scope = {"user": "ann"}
    async with life_without_model.host() as memory:
        await memory.message_received(session_key=KEY, text="hello", history=history, scope=scope)
        await memory.tool_executed(session_key=KEY, tool_name="exec", arguments=arguments, result=result, scope=scope)
    assert history[0] == {"role": "user", "content": "first"}
    assert (arguments, result) == ({"nested": [{"deep": "sea"}]}, {"rows": [1, "two"]})
    notes = notes_of(life_without_model)
    assert "[('user', 'first'), ('assistant', 'second')] of ann" in notes
    assert "sea and two of ann" in notes
    assert life_without_model.files_with("EVIL") == []


async def test_before_compaction_calls_flush_first_and_takes_all_notes_and_the_first_summary(life: Life, install):
    for name, how in {"late": "trylast=True", "early": "tryfirst=True"}.items():
        install(
            name,
            "from nanobot_memory_plugins.core import Note, Summary, hookimpl\n"
            f"@hookimpl({how})\n"
            f"def before_compaction(messages): return [Note('{name} note'), Summary('{name} text', len(messages))]\n",
        )
    for name, cut in {"before": "-1", "behind": "len(messages) + 1"}.items():
        install(
            name,
            "from nanobot_memory_plugins.core import Summary, hookimpl\n"
            "@hookimpl(tryfirst=True)\n"
            f"def before_compaction(messages): return Summary('outside of the messages', {cut})\n",
        )
    life.model.learn("The safe is behind the map.", "the safe is behind the map")
    async with life.host(compaction={"enabled": False}) as memory:
        talk = Conversation(memory)
        for said in ("By the way, the safe is behind the map.", "Now the weather.", "And the news."):
            await talk.turn(said)
        summary = await talk.compact(keep=False)
        await until(lambda: "safe is behind the map" in notes_of(life))
    assert (summary.text, summary.keep_from) == ("early text", 6)
    notes = notes_of(life)
    assert "early note" in notes
    assert "late note" in notes
    assert len(life.model.asked("reading")) == 1


REFUSED = {
    "asks": ("def on_message_received(text, mood): return ContextBlock('never')", "mood"),
    "invents": (
        "def on_message_received(text): return ContextBlock('never')\n@hookimpl\ndef on_moonrise(): pass",
        "on_moonrise",
    ),
    "nothing": ("def on_moonrise(): pass\ndel on_moonrise", "no hook"),
}


async def test_a_plugin_that_cannot_be_registered_is_reported_and_never_called(life_without_model: Life, install):
    begin = "from nanobot_memory_plugins.core import ContextBlock, hookimpl\n@hookimpl\n"
    for name, (source, _) in REFUSED.items():
        install(name, begin + source, alone=True)
    install("well", f"{begin}def on_message_received(text): return ContextBlock('well')", alone=True)
    async with life_without_model.host() as memory:
        said = await Conversation(memory).hear("hello")
        states = {one.subject: str(one.state) for one in await memory.diagnose()}
    assert "well" in said
    assert "never" not in said
    for name, (_, why) in REFUSED.items():
        assert "failed" in states[f"plugin {name}"]
        assert why in states[f"plugin {name}"]


async def test_only_a_repeatedly_failing_hook_rests_and_recovers(life_without_model: Life, install):
    life = life_without_model
    install("flaky", FLAKY, alone=True)
    async with life.host() as memory:
        import third_party_flaky

        talk = Conversation(memory)
        for _ in range(8):
            assert await talk.turn("hello") == ""
        assert len(third_party_flaky.CALLS) == 3
        assert "a draft" in (await memory.review_draft(session_key=KEY, text="a", draft="b") or "")
        (told,) = [one for one in await memory.diagnose() if one.subject == "plugin flaky"]
        assert "resting" in told.state
        life.clock.advance(59)
        await talk.turn("hello")
        assert len(third_party_flaky.CALLS) == 3
        life.clock.advance(2)
        await talk.turn("a trial")
        await talk.turn("none")
        assert len(third_party_flaky.CALLS) == 4
        third_party_flaky.WELL.append(1)
        life.clock.advance(61)
        assert "well again" in await talk.turn("hello")
        assert "well again" in await talk.turn("hello")


class Options(BaseModel):
    cups: int = 1


class Coffee:
    Options = Options

    @hookimpl
    async def on_message_received(self, text: str, history: tuple[Message, ...], context: PluginContext[Options]):
        answer = "" if context.complete is None else await context.complete([], max_tokens=9, purpose="coffee")
        told = f"{text}, {context.options.cups} cups after {len(history)}, {context.clock.now():%Y-%m-%d} {answer}"
        return [ContextBlock(told.strip()), Note(str(context.workspace))]

    @hookimpl
    def on_session_idle(self, session_key: str):
        raise ValueError(f"no beans in {session_key}")

    @hookimpl
    def trim_bootstrap(self, files):
        return {name: text.upper() for name, text in files.items()}

    @hookimpl
    def on_tool_executed(self):
        return "no note"

    @hookimpl
    def before_compaction(self, messages):
        return Summary("all of it", keep_from=len(messages) + 1)


def test_run_hook_passes_options_clock_workspace_and_model(tmp_path):
    async def complete(messages, *, max_tokens, purpose):
        return "black"

    clock = ManualClock(datetime(2026, 1, 2, tzinfo=UTC))
    context = plugin_context(Options(cups=3), workspace=tmp_path, clock=clock, complete=complete)
    said = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hello"}]
    block, note = run_hook(Coffee, "on_message_received", context=context, text="tea", history=said)
    assert block == ContextBlock("tea, 3 cups after 2, 2026-01-02 black")
    assert note == Note(str(tmp_path))
    assert run_hook(Coffee(), "on_message_received")[0].text.startswith("hello, 1 cups after 1")
    assert run_hook(Coffee, "trim_bootstrap", files={"A.md": "a"}) == [{"A.md": "A"}]


async def test_run_hook_async_works_in_an_async_test():
    assert await run_hook_async(Coffee, "trim_bootstrap") == [{"AGENTS.md": "BE KIND."}]


def test_run_hook_raises_the_errors_of_a_plugin():
    with pytest.raises(PluginError, match="ValueError") as failed:
        run_hook(Coffee, "on_session_idle")
    assert str(failed.value.__cause__) == "no beans in cli:direct"
    for plugin, hook, said in (
        (Coffee, "on_tool_executed", "str"),
        (Coffee, "before_compaction", "keep_from"),
        (Coffee, "diagnose", "diagnose"),
        (SimpleNamespace(on_start=hookimpl(lambda txt: None)), "on_start", "txt"),
    ):
        with pytest.raises(PluginError, match=said):
            run_hook(plugin, hook)
    with pytest.raises(PluginError, match="txt"):
        run_hook(Coffee, "on_session_idle", txt="tea")


def test_core_does_not_import_the_kit_and_the_kit_does_not_import_pytest(tmp_path):
    program = (
        "import sys; sys.modules['pytest'] = None\n"
        "import nanobot_memory_plugins.core as core; core.MemoryHost\n"
        "print([name for name in sys.modules if 'core.testing' in name])\n"
        "from nanobot_memory_plugins.core.testing import run_hook, StoreContract\n"
    )
    command = [sys.executable, "-c", program]
    assert subprocess.check_output(command, cwd=tmp_path, text=True, timeout=300) == "[]\n"


class SmallStore:
    """A third-party store that reads the files at each search; a ``blind`` one ignores their owners."""

    def __init__(self, ours: Store, *, blind: bool = False) -> None:
        self.ours, self.blind = ours, blind

    async def search(self, query: Query) -> SearchResult:
        return await self.ours.search(Query(query.text, limit=query.limit) if self.blind else query)

    def __getattr__(self, name: str):
        return getattr(self.ours, name)


def test_the_store_contract_rejects_a_store_that_shows_memories_of_others(tmp_path, ours):
    class Blind(StoreContract):
        async def open(self, workspace):
            return SmallStore(await ours(workspace), blind=True)

    for number, test in enumerate(
        (Blind().test_nobody_finds_what_is_somebody_elses, Blind().test_filters_of_a_query_narrow_it)
    ):
        (tmp_path / str(number)).mkdir()
        with pytest.raises(AssertionError):
            test(tmp_path / str(number))


@pytest.fixture
def ours():
    """Opens the store of a host with the standard plugins."""
    from tests.behaviour.kit.store import open_through_host

    return open_through_host


async def test_a_third_party_store_replaces_ours(life_without_model: Life, install):
    store = install_scored_store(install)
    async with life_without_model.host() as memory:
        await keep_notes(memory, "the anchor is red")
        await memory.flush_index()
        (hit,) = (await memory.search(Query("anchor"))).hits
        assert hit.text == store().text
        assert "staging database is 6543" in await Conversation(memory).call(search_call("anchor"))
    assert not list(life_without_model.workspace.rglob("memory.db"))


async def test_an_incomplete_store_is_refused_with_its_missing_methods(life_without_model: Life, install):
    logged: list[str] = []
    sink = logger.add(logged.append, level="WARNING")
    install(
        "shelf",
        """
        from nanobot_memory_plugins.core import hookimpl

        class Shelf:
            async def search(self, query): ...
            async def read(self, hit_id): ...
            def status(self): ...
            async def close(self): ...

        @hookimpl(tryfirst=True)
        def open_store():
            return Shelf()
        """,
    )
    async with life_without_model.host() as memory:
        assert memory.store is not None  # ours, which is asked next
    logger.remove(sink)
    assert any("failed in open_store: it answered with Shelf, which has no flush, notify" in line for line in logged)
