"""Plugins of other authors hear and say which memories did not help, and recall goes by it."""

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Query
from nanobot_memory_plugins.core.host.unhelpful import Unhelpful

SOURCE = """
from nanobot_memory_plugins.core import hookimpl


@hookimpl
def on_session_idle(history, context):
    for message in history:
        context.host.feedback.say(message.text, helped=message.role == "assistant")
"""


async def test_what_a_plugin_says_did_not_help_stands_behind_the_others(tmp_path, installed_plugin):
    installed_plugin("rater", SOURCE)
    plugins = {"storage": {"embeddingProvider": "none"}, "nanobot": {"enabled": False}}
    config = MemoryConfig.model_validate({"plugins": plugins, "core": {"messageLimit": 30, "idleLimit": 100}})
    async with MemoryHost(tmp_path, config=config) as memory:
        for text in ("The garden gate is painted green.", "The garden gate was painted green by Kim."):
            await memory.message_received(session_key="cli:said", text=text)
            await memory.message_sent(session_key="cli:said", text="Understood.")
        await memory.flush_index()
        search = memory.tool("memory_search")
        assert search is not None
        first = (await memory.search(Query("garden gate painted", limit=2))).hits[0]
        await memory.session_idle(session_key="cli:x", history=[{"role": "user", "content": first.id}])
        assert Unhelpful(tmp_path).ids() == {first.id}
        found = await search.run({"query": "garden gate painted"}, session_key="cli:new")
        other = "by Kim" if "by Kim" not in first.text else "is painted"
        mine = "is painted" if "by Kim" not in first.text else "by Kim"
        assert str(found).index(other) < str(found).index(mine)
        await memory.session_idle(session_key="cli:x", history=[{"role": "assistant", "content": first.id}])
        assert not Unhelpful(tmp_path).ids()
