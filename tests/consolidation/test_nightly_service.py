"""The daily consolidation as the plugin makes it."""

from pathlib import Path

from nanobot_memory_plugins.consolidation.nightly.service import consolidation_of
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.testing import plugin_context

from .made_entries import entry
from .nightly_days import Days, Model, operations

KNOWN = "The user's dog is named Bruno and is seven years old"
SAME = "The user's dog, Bruno, is seven years old"


def context(world: Days, model: Model) -> PluginContext:
    return plugin_context(
        ConsolidationOptions(),
        plugin_name="consolidation",
        workspace=world.workspace,
        clock=world.clock,
        complete=model,
    )


async def test_what_an_entry_says_in_other_words_is_not_added(workspace: Path):
    world = Days(workspace)
    world.add(entry("dog1", KNOWN))
    world.note(SAME)
    model = Model(operations({"op": "add", "content": SAME}))
    report = await consolidation_of(context(world, model)).run()
    assert report.dropped == ("add: an entry says it already",)
    assert world.contents() == {KNOWN}
