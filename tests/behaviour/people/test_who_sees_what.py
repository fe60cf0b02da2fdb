"""Each caller sees exactly their own memory, whatever they ask, and by every way of asking.

`may_see` is the table of docs/trust.md, written down apart from the code.
"""

import itertools

import pytest

from nanobot_memory_plugins.core import MemoryHost, Note, Origin, Query, Scope
from tests.behaviour.kit.life import DAY, Conversation, Life
from tests.behaviour.kit.model import ReadingModel, remember_call
from tests.behaviour.kit.waiting import until

SHARES = ("auto", "session", "agent")
OPTIONS = {"consolidation": {"promptEntries": 100, "promptTokens": 9_000}}


def speaker(session: str, user: str, channel: str, group: str = "", agent: str = "desk") -> Scope:
    return Scope(agent, user, channel, f"{channel}:{session}", f"{channel}:{group}" if group else "")


ANA = speaker("a1", "ana", "cli")
SPEAKERS = [
    ANA,
    speaker("a2", "ana", "cli"),
    speaker("a3", "ana", "web"),
    speaker("b1", "bob", "web"),
    speaker("n1", "", "cli"),
    speaker("n2", "", "web"),
    speaker("t1", "ana", "web", "team"),
    speaker("t2", "bob", "web", "team"),
    speaker("h1", "ana", "web", "choir"),
    speaker("c1", "ana", "cli", agent="clerk"),
    speaker("c2", "bob", "web", "team", agent="clerk"),
]
# New sessions of people who are known, and callers of whom nothing is known but a key, or not even that.
NEW = [speaker("a9", "ana", "web"), speaker("b9", "bob", "cli"), speaker("t9", "bob", "web", "team")]
UNKNOWN = [Scope(session="never:seen"), Scope(session="web:a"), Scope()]
# Letters that stand in no id.
WORDS = {
    f"zy{first}{second}wort": one
    for one, (first, second) in zip(SPEAKERS, itertools.product("ghij", "klm"), strict=False)
}


def speakers_in(text: str) -> set[Scope]:
    """Return the speakers whose words a text contains."""
    return {scope for word, scope in WORDS.items() if word in text}


def may_see(share: str, caller: Scope, owner: Scope) -> bool:
    """Return whether a caller may see the words of another one."""
    if caller.agent != owner.agent:
        return False
    if share == "agent":
        return True
    if share != "session" and caller.group_chat:
        return caller.group_chat == owner.group_chat
    if share == "auto" and caller.user:
        return caller.user == owner.user
    return caller.session == owner.session


async def fill(memory: MemoryHost) -> None:
    for word, scope in WORDS.items():
        text = f"The code of my bicycle lock is {word}"
        talk = Conversation(memory, scope.session, scope=scope)
        await talk.turn(text, f"Noted: {word}.", remember_call(text, text))
        await memory.tool_executed(
            session_key=scope.session, tool_name="exec", arguments={"lock": word}, result=f"opened {word}", scope=scope
        )
        note = Note(tldr=f"lock of {word}", tags=(word,))
        await memory.keep(note, session_key=scope.session, scope=scope)
    await memory.flush_index()


async def ids_of(memory: MemoryHost) -> list[str]:
    """Return the id of each owner's words; a tool's result in a group belongs to the group."""
    return [(await memory.search(Query(word, origins=frozenset({Origin.USER}), limit=1))).hits[0].id for word in WORDS]


async def seen_by_way(memory: MemoryHost, caller: Scope, ids: list[str], *, by_key: bool) -> dict[str, set[Scope]]:
    """Return the speakers whose words a caller sees, for each way of asking."""
    scope = None if by_key else caller
    talk = Conversation(memory, caller.session, scope=scope)
    block = await talk.hear("Do you remember the code of the bicycle lock?")
    search = next(tool for tool in memory.tools() if tool.name == "memory_search")
    asked = [" ".join(list(WORDS)[first : first + 4]) for first in range(0, len(WORDS), 4)]
    searched = "".join([await search.run({"query": one, "limit": 30}, session_key=caller.session) for one in asked])
    get = next(tool for tool in memory.tools() if tool.name == "memory_get")
    read = "".join([await get.run({"id": one}, session_key=caller.session) for one in ids])
    known = memory.prompt_entries(memory.base_context(), session_key=caller.session, scope=scope)
    return {
        "block": speakers_in(block),
        "search": speakers_in(searched),
        "get": speakers_in(read),
        "prompt": speakers_in(f"{known.text}\n{known.long_term}"),
    }


@pytest.mark.accept("NC-10")
@pytest.mark.parametrize("share", SHARES)
async def test_each_caller_sees_exactly_their_own_memory(life: Life, model: ReadingModel, share: str):
    life.options.update(OPTIONS, core={"share": share, "messageLimit": 60, "toolLimit": 60})
    async with life.host() as memory:
        await fill(memory)
        ids = await ids_of(memory)
        for caller in (*SPEAKERS, *NEW, *UNKNOWN):
            check(share, caller, await seen_by_way(memory, caller, ids, by_key=False))
    async with life.host() as memory:  # another start, with nothing but keys, in another order
        await memory.flush_index()
        for caller in (*SPEAKERS[::-2], *UNKNOWN):
            check(share, caller, await seen_by_way(memory, caller, ids, by_key=True))
        # What a model is shown of what is known already, behind a session.
        model.requests.clear()
        talk = Conversation(memory, ANA.session, scope=ANA)
        for _ in range(3):
            await talk.turn("The weather in Oslo is fine today, is it not?", "It is.")
        await talk.idle(ended=True)
        shown = "".join(request.text for request in model.requests)
        assert speakers_in(shown) <= {one for one in SPEAKERS if may_see(share, ANA, one)}


async def test_a_command_shows_exactly_the_requested_scope(life: Life):
    async with life.host() as memory:
        await fill(memory)
    for fields in (("session",), ("user",), ("user", "session")):
        for owner in (ANA, SPEAKERS[7]):
            wanted = {one for one in SPEAKERS if all(getattr(one, name) == getattr(owner, name) for name in fields)}
            given = [part for name in fields for part in (f"--{name}", getattr(owner, name))]
            assert speakers_in(life.command("search", "lock", "code", "--limit", "200", "--json", *given).out) == wanted
        assert speakers_in(life.command("entries", "list", "--json", *given).out) == wanted
        assert speakers_in(life.command("timeline", "--all", "--json", *given).out) == wanted


@pytest.mark.parametrize("share", ["auto", "session"])
async def test_each_nightly_request_contains_only_what_one_person_may_see(life: Life, model: ReadingModel, share: str):
    night = {"consolidation": {"consolidationSchedule": True, "consolidationDelay": 0}, "core": {"share": share}}
    async with life.host(**night) as memory:
        await fill(memory)
    life.clock.advance(2 * DAY)
    async with life.host(**night):
        await until(lambda: speakers_in("".join(one.text for one in model.asked("consolidation"))) == set(SPEAKERS))
    for request in model.asked("consolidation"):
        inside = speakers_in(request.text)
        assert all(may_see(share, one, other) or may_see(share, other, one) for one in inside for other in inside)


def check(share: str, caller: Scope, ways: dict[str, set[Scope]]) -> None:
    allowed = {owner for owner in SPEAKERS if may_see(share, caller, owner)}
    assert ways["block"] <= allowed, caller
    for way in ("search", "get", "prompt"):
        assert ways[way] == allowed, (way, caller)
