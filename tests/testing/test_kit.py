"""The kit for authors' tests: a hook is called as the host calls it, and what is wrong says why."""

import asyncio
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from pydantic import BaseModel

from nanobot_memory_plugins.core import (
    ContextBlock,
    InputError,
    MemoryHost,
    Note,
    PluginContext,
    Query,
    Store,
    Summary,
    hookimpl,
)
from nanobot_memory_plugins.core.errors import PluginError
from nanobot_memory_plugins.core.testing import StoreContract, call_hook
from nanobot_memory_plugins.core.testing.hooks import SAMPLES, accepted_types
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.store import SqliteStore
from tests.docs.test_entry_points import ANSWERS, HOOKS
from tests.support.each import each
from tests.support.third_party import EXAMPLES, install_example


class Options(BaseModel):
    cups: int = 1


class Coffee:
    Options = Options

    @hookimpl.on_message_received
    async def on_message_received(self, text: str, history, context: PluginContext[Options], **_: object):
        answer = "" if context.complete is None else await context.complete([], max_tokens=9, purpose="coffee")
        told = f"{text}, {context.options.cups} cups after {len(history)}, {context.clock.now():%Y-%m-%d} {answer}"
        return [ContextBlock(told.strip()), Note(str(context.workspace))]

    @hookimpl.on_session_idle
    def on_session_idle(self, session_key: str, **_: object):
        raise ValueError(f"no beans in {session_key}")

    @hookimpl.trim_bootstrap
    def trim_bootstrap(self, files, **_: object):
        return {name: text.upper() for name, text in files.items()}

    @hookimpl.on_tool_executed
    def on_tool_executed(self, **_: object):
        return "no note"

    @hookimpl.before_compaction
    def before_compaction(self, messages, **_: object):
        return Summary("all of it", keep_from=len(messages) + 1)


def test_a_hook_answers_with_options_clock_workspace_and_a_model_over_http(
    run_hook, plugin_context, manual_clock, memory_workspace, scripted_model
):
    manual_clock.advance(86_400)
    scripted_model.default = "black"
    context = plugin_context(Options(cups=3), complete=scripted_model.complete)
    said = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hello"}]
    block, note = run_hook(Coffee, "on_message_received", context=context, text="tea", history=said)
    assert block == ContextBlock("tea, 3 cups after 2, 2026-01-02 black")
    assert note == Note(str(memory_workspace.path))
    assert len(scripted_model.requests) == 1
    assert run_hook(Coffee(), "on_message_received")[0].text.startswith("hello, 1 cups after 1")
    assert run_hook(Coffee, "trim_bootstrap", files={"A.md": "a"}) == [{"A.md": "A"}]


def test_what_a_plugin_does_wrong_is_raised_and_says_why(run_hook):
    with pytest.raises(PluginError, match=r"failed in on_session_idle: ValueError at .*test_kit\.py:") as failed:
        run_hook(Coffee, "on_session_idle")
    assert str(failed.value.__cause__) == "no beans in cli:direct"
    with pytest.raises(PluginError, match="answered on_tool_executed with str, which counts as none"):
        run_hook(Coffee, "on_tool_executed")
    with pytest.raises(PluginError, match="Summary with a keep_from outside of the messages"):
        run_hook(Coffee, "before_compaction")
    with pytest.raises(PluginError, match="does not implement diagnose"):
        run_hook(Coffee, "diagnose")
    with pytest.raises(PluginError, match="asks for txt, which the hook does not have"):
        run_hook(SimpleNamespace(on_start=hookimpl(lambda txt: None)), "on_start")
    with pytest.raises(InputError, match="has no argument txt"):
        run_hook(Coffee, "on_session_idle", txt="tea")
    with pytest.raises(InputError, match="There is no hook on_mesage"):
        run_hook(Coffee, "on_mesage")


async def test_in_an_async_test_it_is_awaited():
    assert await call_hook(Coffee, "trim_bootstrap") == [{"AGENTS.md": "BE KIND."}]


@each("hook", HOOKS)
def test_every_hook_has_samples_and_the_types_of_its_answers(hook: str):
    names = {name for name in HOOKS[hook].__code__.co_varnames if name != "context"}
    assert names <= SAMPLES.keys()
    assert set(accepted_types(hook)) == set(ANSWERS[hook][1])


async def test_a_plugin_from_source_is_installed_for_a_whole_host(installed_plugin, memory_workspace, monkeypatch):
    source = """
        from nanobot_memory_plugins.core import ContextBlock, hookimpl

        @hookimpl.on_message_received
        def on_message_received(**_):
            return ContextBlock("fresh")
    """
    installed_plugin("coffee", source)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "coffee")
    async with MemoryHost(memory_workspace.path) as memory:
        assert "fresh" in ((await memory.message_received(session_key="cli:one", text="tea")).block or "")


class TestOurStore(StoreContract):
    async def open(self, workspace: Path) -> Store:
        options = StorageOptions.model_validate({"embedding_provider": "none"})
        return await SqliteStore.open(workspace, options, _clock())


class TestOurStoreWithoutFullText(TestOurStore):
    async def open(self, workspace: Path) -> Store:
        options = StorageOptions.model_validate({"embedding_provider": "none"})
        return await SqliteStore.open(workspace, options, _clock(), allow_fts5=False)


class TestTheShelf(StoreContract):
    @pytest.fixture(autouse=True)
    def _shelf(self, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = tmp_path_factory.mktemp("shelf")
        install_example(self.folder, monkeypatch, "shelf_store")

    async def open(self, workspace: Path) -> Store:
        import shelf_store

        return await asyncio.to_thread(shelf_store.ShelfStore, workspace, self.folder / "shelf.db")


def _clock():
    from nanobot_memory_plugins.core.clock import SystemClock

    return SystemClock()


class Forgetful(TestOurStore):
    """A store that a contract has to refuse: it looks at nobody's scope."""

    async def open(self, workspace: Path) -> Store:
        store = await super().open(workspace)
        search = store.search

        async def everything(query: Query):
            return await search(Query(query.text, limit=query.limit))

        store.search = everything
        return store


Forgetful.__test__ = False


def test_a_store_that_shows_what_is_somebody_elses_is_refused(tmp_path: Path):
    with pytest.raises(AssertionError):
        Forgetful().test_nobody_finds_what_is_somebody_elses(tmp_path / "a")
    with pytest.raises(AssertionError):
        Forgetful().test_filters_of_a_query_narrow_it(tmp_path / "b")


def test_core_does_without_the_kit_and_the_kit_without_pytest(tmp_path: Path):
    program = (
        "import sys; sys.modules['pytest'] = None\n"
        "import nanobot_memory_plugins.core as core; core.MemoryHost\n"
        "print([name for name in sys.modules if 'core.testing' in name])\n"
        "import nanobot_memory_plugins.core.testing\n"
        "try: import nanobot_memory_plugins.core.testing.pytest_plugin\n"
        "except Exception as error: print(type(error).__name__, error, error.hint)\n"
    )
    command = [sys.executable, "-c", program]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=True)
    loaded, refused = said.stdout.splitlines()
    assert loaded == "[]"
    assert refused.startswith("InputError The fixtures need pytest, which is not installed. pip install pytest")


@pytest.mark.slow
def test_the_test_of_the_example_passes_by_itself(tmp_path: Path):
    folder = EXAMPLES / "deadline_plugin"
    for file in folder.glob("*.py"):
        (tmp_path / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", str(tmp_path)]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert said.returncode == 0, said.stdout + said.stderr
    assert "2 passed" in said.stdout
