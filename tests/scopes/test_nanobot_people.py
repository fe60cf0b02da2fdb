"""Who finds what in a stock nanobot: several senders, one person with several names, groups."""

from typing import Any

import pytest

from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, Request, ScriptedServer, ToolCall
from tests.scopes.nanobot_chat import Install, chatting

SALARY, DOG = "my salary is 71000 quidlets", "my dog is called Brunhilde"


def searching(server: ScriptedServer, query: str) -> None:
    """Let the model look by its tools whenever it is asked to."""

    def reply(request: Request) -> Reply:
        if request.last.get("role") == "tool":
            return Reply("Done.")
        return Reply(tools=(ToolCall("memory_search", {"query": query}), ToolCall("forget", {"query": query})))

    server.rules = [
        ReplyRule(lambda request: "Look it up" in request.last_user or request.last.get("role") == "tool", reply)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("allowed", [["*"], ["111", "222"]], ids=["anybody", "two"])
async def test_of_two_senders_neither_is_shown_a_word_of_the_other(install: Install, server, allowed):
    nanobot = install({"telegram": {"allowFrom": allowed}})
    async with chatting(nanobot, server) as chat:
        await chat.say(f"Remember that {SALARY}.", "telegram", "111|ana")
        await chat.say(f"Remember that {DOG}.", "telegram", "222|bob")
    async with chatting(nanobot, server) as chat:  # after a restart, tools know nothing but the session
        searching(server, "my salary, what my dog is called")
        for sender, own, other in (("111|ana", "quidlets", "Brunhilde"), ("222|bob", "Brunhilde", "quidlets")):
            asked = "Do you remember my salary, and what my dog is called?"
            for shown in (
                await chat.say(asked, "telegram", sender, f"9{sender[:3]}"),
                await chat.say("Look it up.", "telegram", sender, f"8{sender[:3]}"),
            ):
                assert other not in shown
                assert own in shown
        owner = await chat.say(f"{asked} Look it up.")
        assert "quidlets" not in owner
        assert "Brunhilde" not in owner


async def test_what_others_said_stays_theirs_once_one_alone_is_let_in(install: Install, server):
    nanobot = install({"telegram": {"allowFrom": ["111", "222"]}})
    async with chatting(nanobot, server) as chat:
        await chat.say(f"Remember that {SALARY}.", "telegram", "111|ana")
        await chat.say(f"Remember that {DOG}.", "telegram", "222|bob")
        await chat.say("Always answer in French.", "telegram", "222|bob")
    allowed = nanobot.config_file.read_text(encoding="utf-8")
    nanobot.config_file.write_text(allowed.replace('["111", "222"]', '["111"]'), encoding="utf-8")
    async with chatting(nanobot, server) as chat:
        for place in (("telegram", "111|ana", "1119"), ("cli",)):
            shown = await chat.say("Do you remember my salary, and what my dog is called?", *place)
            assert "quidlets" in shown
            assert "Brunhilde" not in shown
            assert "French" not in shown


async def test_a_private_fact_is_not_shown_in_a_group_though_its_author_asks(install: Install, server):
    """Ask in a group of each kind of channel; one nanobot has them all, as its users would."""
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
        searching(server, "my salary, my dog, our parrot")
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
