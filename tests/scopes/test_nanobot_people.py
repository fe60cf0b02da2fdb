"""Private facts in a stock nanobot with several senders and groups."""

from typing import Any

from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, Request, ScriptedServer, ToolCall
from tests.scopes.nanobot_chat import Install, chatting

SALARY, DOG = "my salary is 71000 quidlets", "my dog is called Brunhilde"


def search_when_asked(server: ScriptedServer, query: str) -> None:
    """Let the model use its tools when it is asked to look something up."""

    def reply(request: Request) -> Reply:
        if request.last.get("role") == "tool":
            return Reply("Done.")
        return Reply(tools=(ToolCall("memory_search", {"query": query}), ToolCall("forget", {"query": query})))

    server.rules = [
        ReplyRule(lambda request: "Look it up" in request.last_user or request.last.get("role") == "tool", reply)
    ]


async def test_a_private_fact_is_not_shown_in_a_group_even_to_its_author(install: Install, server):
    """Ask in a group on each kind of channel of one nanobot."""
    groups: dict[str, tuple[str, str, dict[str, Any]]] = {
        "telegram": ("111|ana", "-100200", {"is_group": True}),
        "slack": ("U1", "C01", {"slack": {"channel_type": "channel"}}),
        "discord": ("111", "555", {"guild_id": "9"}),
        "other": ("111", "room", {}),
    }
    nanobot = install({channel: {"allowFrom": ["*"]} for channel in groups})
    async with chatting(nanobot, server) as chat:
        for channel, (sender, group, told) in groups.items():
            await chat.say(f"Remember that {SALARY} of {channel}.", channel, sender)
            await chat.say(f"Remember that {DOG} of {channel}.", channel, sender, group, **told)
            await chat.say(f"Our parrot of {channel} sings arias.", channel, "other", group, **told)
        search_when_asked(server, "my salary, my dog, our parrot")
        for channel, (sender, group, told) in groups.items():
            asked = "Do you remember my salary, the parrot and my dog? Look it up."
            shown = await chat.say(asked, channel, sender, group, **told)
            assert "quidlets" not in shown
            assert f"Brunhilde of {channel}" in shown
            assert f"{channel} sings arias" in shown
            asked = "Do you remember my salary and my dog?"
            alone = await chat.say(asked, channel, sender, sender.partition("|")[0])
            assert f"quidlets of {channel}" in alone
            assert f"Brunhilde of {channel}" in alone
            others = [f"of {other}" for other in groups if other != channel]
            assert [one for one in others if one in shown or one in alone] == []
