import string
from random import Random

import pytest

from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.testing import plugin_context
from nanobot_memory_plugins.core.values import NoteType, Origin, Scope
from nanobot_memory_plugins.core.values.conversation import freeze
from nanobot_memory_plugins.observation.plugin import ObservationOptions, ObservationPlugin


def context(**options) -> PluginContext:
    return plugin_context(ObservationOptions(**options), plugin_name="observation")


async def observe(tool="exec", arguments=None, result="done", error=None, **options):
    return await ObservationPlugin().on_tool_executed(
        session_key="cli:one",
        tool_name=tool,
        arguments=freeze(arguments or {}),
        result=result,
        error=error,
        duration_ms=12.4,
        context=context(**options),
    )


def secret(seed: int) -> str:
    return "sk-" + "".join(Random(seed).choices(string.ascii_letters + string.digits, k=48))


async def test_an_execution_becomes_a_structured_note():
    note = await observe("read_file", {"path": "notes.txt"}, "three\nlines")
    assert note.origin is Origin.TOOL
    assert note.tags == ("observation", "read_file")
    assert note.title == "tool read_file"
    assert note.tldr.startswith("read_file")
    for part in ("notes.txt", "three\nlines", "12 ms"):
        assert part in note.details
    assert note.scope is None or isinstance(note.scope, Scope)


async def test_the_details_of_a_long_result_begin_with_the_gist_so_that_the_index_has_it_once():
    note = await observe("exec", {"command": "ls"}, "first file\n" + "another file\n" * 40)
    assert len(note.tldr) == 160
    assert " ".join(note.details.split()).startswith(note.tldr)
    assert note.details.count("first file") == 1


@pytest.mark.accept("V3-12")
async def test_secrets_are_hidden_before_the_text_is_cut():
    key = secret(1)
    for cut in range(20, 120, 7):
        note = await observe(
            "exec", {"env": {"password": "Quiet#Harbor77"}}, "x" * 20 + " " + key, max_result_chars=cut
        )
        whole = note.tldr + note.details
        assert "Quiet#Harbor77" not in whole
        assert not any(key[start : start + 8] in whole for start in range(len(key) - 8))


async def test_a_failure_is_a_short_note():
    note = await observe("exec", {"command": "make"}, None, "No rule to make target " + "x" * 5_000)
    assert note.type is NoteType.BUG
    assert "failed" in note.tldr
    assert len(note.details) < 1_000


async def test_all_tools_except_ours_are_observed_unless_configured():
    assert await observe("anything_at_all") is not None
    assert await observe("memory_search") is None
    assert await observe("read_file", tools=("write_*", "exec")) is None
    assert await observe("write_file", tools=("write_*", "exec")) is not None
    assert await observe("exec", exclude=("ex*",)) is None


async def test_results_from_the_web_have_that_origin():
    assert (await observe("web_fetch")).origin is Origin.WEB
    assert (await observe("exec")).origin is Origin.TOOL
