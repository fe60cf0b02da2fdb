"""Plugins are found through entry points; a broken, disabled or deselected one does not affect the others."""

import json

import pytest

from tests.behaviour.kit.life import Conversation, Life

# Twenty lines, as a third party would write them.
DIARY = '''
"""Writes down what the user says."""

from pydantic import BaseModel

from nanobot_memory_plugins.core import ContextBlock, Note, hookimpl


class Options(BaseModel):
    prefix: str = "said"


@hookimpl
async def on_message_received(text, context):
    return Note(f"{context.options.prefix}: {text}")


@hookimpl
def before_compaction():
    return None
'''
BROKEN = {
    "raises": "raise ValueError('hunter' + '2')",
    "exits": "import sys\nsys.exit('hunter' + '2')",
    "interrupts": "raise KeyboardInterrupt('hunter' + '2')",
    "base": "class Own(BaseException): ...\nraise Own('hunter' + '2')",
    "unparsed": "def (:",
    "lacking": "import no_such_module_anywhere",
    "recurses": "def f(): f()\nf()",
    "unlisted": "def __dir__(): raise SystemExit('hunter' + '2')",
    "hookless": "X = 1",
    "asking": (
        "from nanobot_memory_plugins.core import hookimpl\n@hookimpl\ndef on_message_received(message): return None"
    ),
}


def plugins_of(life: Life) -> dict[str, dict[str, object]]:
    return {one["name"]: one for one in life.command("plugins", "--json").json["plugins"]}


@pytest.mark.accept("PL-02", "PL-05")
async def test_a_small_third_party_plugin_is_found_called_and_configured(life_without_model: Life, install):
    life = life_without_model
    install("diary", DIARY)
    life.options["diary"] = {"prefix": "heard"}
    async with life.host() as memory:
        await Conversation(memory).turn("The kettle is blue.")
    (note,) = life.memory.glob("????-??-??.md")
    assert "heard: The kettle is blue." in note.read_text(encoding="utf-8")
    found = plugins_of(life)["diary"]
    assert (found["distribution"], found["version"], found["state"]) == ("third_party_diary", "1.0", "active")
    assert found["hooks"] == ["before_compaction", "on_message_received"]


@pytest.mark.accept("PL-02")
def test_a_plugin_installed_at_run_time_is_found_at_the_next_start(life_without_model: Life, install, tmp_path):
    install("first", DIARY)
    module, info = (next(tmp_path.glob(f"site-first/{end}")) for end in ("*.py", "*.dist-info"))
    aside = tmp_path / info.name
    info.rename(aside)
    assert "first" not in plugins_of(life_without_model)
    aside.rename(module.parent / info.name)
    assert plugins_of(life_without_model)["first"]["state"] in ("active", "disabled")


@pytest.mark.accept("PL-02")
async def test_unusable_plugins_are_reported_and_do_not_affect_others(life_without_model: Life, install):
    life = life_without_model
    for name, source in BROKEN.items():
        install(name, source)
    install("diary", DIARY)
    async with life.host() as memory:
        assert await Conversation(memory).turn("The kettle is blue.") == ""
        named = {one.subject: one for one in await memory.diagnose()}
        await memory.flush_index()
        assert "kettle is blue" in await Conversation(memory, "cli:next").turn("Do you remember the kettle?")
    found = plugins_of(life)
    assert {name for name, one in found.items() if one["error"]} == BROKEN.keys()
    assert found["diary"]["state"] == "active"
    assert {name for name in found if f"plugin {name}" in named and named[f"plugin {name}"].hint} >= {"lacking"}
    assert "no_such_module_anywhere" in found["lacking"]["error"]
    assert "message" in found["asking"]["error"]
    for one in found.values():
        assert "hunter2" not in one["error"]
    assert "third_party_raises.py:1" in found["raises"]["error"]
    assert life.command("doctor").status in (0, 1)


@pytest.mark.accept("PL-01", "PL-03")
async def test_each_plugin_can_be_disabled_or_deselected(
    life_without_model: Life, install, monkeypatch: pytest.MonkeyPatch
):
    life = life_without_model
    install("loud", "raise SystemExit")
    install("diary", DIARY)
    of_set = {name: one["distribution"] for name, one in plugins_of(life).items()}
    assert of_set["recall"] == "nanobot-memory-recall"
    assert len(set(of_set.values())) == len(of_set)

    async def offered(**options: object) -> set[str]:
        async with life.host(**options) as memory:
            await Conversation(memory).turn("The kettle is blue.")
            return {tool.name for tool in memory.tools()}

    everything = await offered(loud={"enabled": False})
    assert {"remember", "memory_search"} <= everything
    assert "memory_search" not in await offered(recall={"enabled": False}, diary={"enabled": False})
    life.options["loud"] = {"enabled": False}
    states = plugins_of(life)
    assert (states["loud"]["state"], states["loud"]["error"]) == ("disabled", "")
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "diary, storage")
    del life.options["loud"]
    assert "memory_search" not in await offered()
    assert {name for name, one in plugins_of(life).items() if one["enabled"]} == {"diary", "storage"}


async def test_one_of_two_plugins_with_the_same_name_is_loaded_and_the_other_reported(
    life_without_model: Life, install, tmp_path
):
    install("diary", DIARY)
    install("other", DIARY)
    (points,) = tmp_path.glob("site-other/*.dist-info/entry_points.txt")
    points.write_text(points.read_text(encoding="utf-8").replace("other =", "diary ="), encoding="utf-8")
    async with life_without_model.host() as memory:
        await Conversation(memory).turn("The kettle is blue.")
    (note,) = life_without_model.memory.glob("????-??-??.md")
    assert note.read_text(encoding="utf-8").count("said: The kettle") == 1
    said = json.dumps(life_without_model.command("plugins", "--json").json["plugins"])
    assert "third_party_diary" in said
    assert "third_party_other" in said
