"""People with several names, group chats, and projects."""

import json

import pytest

from nanobot_memory_plugins.core import MemoryHost
from tests.behaviour.kit.command import run
from tests.behaviour.kit.life import Conversation, Life
from tests.behaviour.kit.model import forget_call, remember_call, search_call

CODE = "The code of the vault is quillwort."


async def tell(
    memory: MemoryHost, session: str, scope: dict[str, str] | None = None, text: str = CODE, kind: str = "fact"
) -> None:
    await Conversation(memory, session, scope=scope).turn(text, "Noted.", remember_call(text, text, kind=kind))
    await memory.flush_index()


async def sees(memory: MemoryHost, session: str, scope: dict[str, str] | None = None, word: str = "quillwort") -> bool:
    """Return whether a session sees the word in its block, by a tool and in its prompt, which must agree."""
    talk = Conversation(memory, session, scope=scope)
    ways = {
        word in await talk.hear("Do you remember the code of the vault?"),
        word in talk.prompt(),
        word in await talk.call(search_call("the code of the vault")),
    }
    (answer,) = ways
    return answer


def user(name: str, channel: str = "web", **more: str) -> dict[str, str]:
    return {"user": name, "channel": channel, **more}


async def test_one_user_sees_everything_and_named_users_only_their_own_memory(life: Life):
    async with life.host() as memory:
        await tell(memory, "one")
        assert await sees(memory, "two")
        await memory.message_received(session_key="anas", text="Good morning.", scope=user("ana"))
        assert not await sees(memory, "three")
        assert await sees(memory, "one")
    async with life.host() as memory:
        assert not await sees(memory, "four")
        assert not await sees(memory, "", None)
        assert not await sees(memory, "anas", user("ana"))
        assert await sees(memory, "one")
    # Until somebody is listed as the owner.
    async with life.host(core={"people": {"owner": ["web:ana"]}}) as memory:
        assert await sees(memory, "anas", user("ana"))
        assert not await sees(memory, "bobs", user("bob"))
        assert not await sees(memory, "five")


async def test_a_person_is_recognised_by_every_listed_name(life: Life):
    life.options["core"] = {"people": {"ana": ["web:alice", "phone:+49 1"]}, "messageLimit": 60}
    async with life.host() as memory:
        await tell(memory, "one", user("alice"))
        assert await sees(memory, "two", user("+49 1", "phone"))
        for other in (user("+49 1", "letter"), user("alice", "phone"), user("ana"), user("bob"), None):
            assert not await sees(memory, f"of {other}", other), other
    assert "web:alice" in str(life.command("people", "--json").json)


@pytest.mark.parametrize("name", ["ana\u00a0", "\tana", "Ana"])
async def test_names_that_differ_in_white_space_or_case_are_different_people(life: Life, name: str):
    async with life.host() as memory:
        await tell(memory, "other", user(name))
        assert not await sees(memory, "ana:1", user("ana"))
        assert await sees(memory, "other:2", user(name))


async def test_a_group_member_cannot_forget_the_fact_of_another(life: Life):
    async with life.host() as memory:
        await tell(memory, "team:1", user("ana", group_chat="team"))
        await tell(memory, "anas", user("ana"), "The code of the shed is ribwort.")
        bob = Conversation(memory, "team:2", scope=user("bob", group_chat="team"))
        assert "ribwort" not in await bob.turn("Do you remember the code of the shed?")
        assert "ana" in next(line for line in bob.prompt().splitlines() if "quillwort" in line)
        await bob.call(forget_call(CODE))
        assert "quillwort" in bob.prompt()
        ana = Conversation(memory, "team:1", scope=user("ana", group_chat="team"))
        await ana.turn("Forget the vault, please.", "Done.", forget_call(CODE))
        assert "quillwort" not in ana.prompt()
        assert "ribwort" not in ana.prompt()


@pytest.mark.parametrize("share", ["auto", "session"])
async def test_shared_memories_become_private_when_sharing_is_reduced(life: Life, share: str):
    async with life.host(core={"share": "agent"}) as memory:
        await tell(memory, "anas", user("ana"))
        assert await sees(memory, "bobs", user("bob"))
    async with life.host(core={"share": share}) as memory:
        assert not await sees(memory, "bobs", user("bob"))
        for session in ("another", "", " "):
            assert not await sees(memory, session)
        assert await sees(memory, "anas", user("ana"))


async def test_what_a_nameless_session_keeps_is_visible_only_there(life: Life):
    async with life.host() as memory:
        await memory.message_received(session_key="anas", text="Good morning.", scope=user("ana"))
        tools = {tool.name: tool for tool in memory.tools()}
        await tools["remember"].run({"text": CODE, "kind": "fact"}, session_key="never seen")
        await memory.flush_index()
        for session, scope in (("anas", user("ana")), ("bobs", user("bob")), ("another", None)):
            assert not await sees(memory, session, scope)


async def test_project_entries_rank_first_in_their_project_and_are_in_no_other_prompt(life: Life):
    alpha, beta = {"project": "ana/alpha"}, {"project": "ana/beta"}
    async with life.host() as memory:
        await tell(memory, "a", alpha, "The tests of this repository run with pytest.", "workflow")
        await tell(memory, "b", beta, "The tests of this repository run with jest.", "workflow")
        await tell(memory, "a", alpha, "I am allergic to nuts.")
        prompts = [Conversation(memory, f"new {scope}", scope=scope).prompt() for scope in (alpha, beta, None)]
        assert [("pytest" in one, "jest" in one) for one in prompts] == [(True, False), (False, True), (False, False)]
        assert all("nuts" in one for one in prompts)
        await Conversation(memory, "b2", scope=beta).turn("Again.", "Done.", forget_call("run with pytest"))
        assert "pytest" in Conversation(memory, "a2", scope=alpha).prompt()
    for project, order in (("ana/alpha", ["pytest", "jest"]), ("ana/beta", ["jest", "pytest"])):
        hits = life.command("search", "how do the tests run", "--project", project, "--json").json["hits"]
        first = [next(word for word in order if word in str(hit)) for hit in hits if "tests" in str(hit)]
        assert [first[0], first[-1]] == order


async def test_the_same_fact_of_two_group_members_is_kept_for_both(life: Life):
    assert life.model is not None
    said = {"ana": "I am allergic to walnuts, badly.", "bob": "Walnuts make me ill, I am allergic."}
    for sentence in said.values():
        life.model.learn("Is allergic to walnuts", sentence)
    async with life.host() as memory:
        for name, sentence in said.items():
            talk = Conversation(memory, "team:1", scope=user(name, group_chat="team"))
            await talk.turn(sentence)
        await talk.idle(ended=True)
    assert sorted(entry["scope"]["user"] for entry in life.entries()) == ["ana", "bob"]


def test_a_command_without_a_user_shows_the_owners_memory_if_several_may_write(life: Life):
    file = life.folder / "home" / ".nanobot" / "config.json"
    file.parent.mkdir(parents=True)
    telegram = {"enabled": True, "allowFrom": ["111", "222"]}
    options = {"storage": {"embeddingProvider": "none"}, "core": {"people": {"me": ["cli"], "ana": ["telegram:222"]}}}
    channels = {"telegram": telegram, "memoryPlugins": options}
    named = {"agents": {"defaults": {"workspace": str(life.workspace)}}, "channels": channels}
    file.write_text(json.dumps(named), encoding="utf-8")
    life.workspace.mkdir()
    assert run("entries", "remember", CODE).status == 0
    ask = ("why", "Do you remember the code of the vault?")
    assert "quillwort" in run(*ask).out
    assert "quillwort" not in run(*ask, "--user", "telegram:222").out
    for command in (ask, ("search", "vault"), ("entries", "list")):
        shown = {one: "quillwort" in run(*command, "--user", one).out for one in ("me", "cli", "ana", "telegram:222")}
        assert shown == {"me": True, "cli": True, "ana": False, "telegram:222": False}, command
