"""Runs of a host whose callbacks share nothing but an id, sessions that it stores as items, and tools by JSON text."""

from nanobot_memory_plugins.hosts.runs import Runs
from nanobot_memory_plugins.hosts.stored_items import StoredItems
from nanobot_memory_plugins.tools.scripted_model import text_of
from tests.host.conftest import ASKED, TOLD, transcript


def words(messages) -> str:
    return "\n".join(text_of(one) for one in messages)


async def test_a_run_is_known_by_its_id_and_what_was_recalled_stands_in_each_request(memory):
    runs = Runs(memory, prefix="host:")
    await runs.of("r1", "host:told", {"user": "ana"}).open(TOLD, [])
    transcript(memory, "host:told")
    await runs.of("r2", "host:asked", {"user": "ana"}).open(ASKED, [])
    assert runs.get("r2") is runs.of("r2", "host:asked", {"user": "ana"})
    for _ in range(2):
        assert "5433" in words(await runs.get("r2").beside([{"role": "user", "content": ASKED}]))
    runs.pop("r2").finish(0)
    assert runs.get("r2") is None
    assert runs.session_of(["?", "r2"]) == ("host:asked", {"user": "ana"})


async def test_a_run_that_nobody_opened_goes_on_with_the_message_of_before(memory):
    await Runs(memory, prefix="host:").of("r1", "host:told", None).open(TOLD, [])
    transcript(memory, "host:told")
    await Runs(memory, prefix="host:").of("r2", "host:asked", None).open(ASKED, [])
    resumed = Runs(memory, prefix="host:").of("r3", "host:asked", None)
    request = [{"role": "user", "content": ASKED}, {"role": "assistant", "content": "I look."}]
    assert "5433" in words(await resumed.beside(request))
    assert transcript(memory, "host:asked") == [("user", ASKED)]


async def test_a_run_inside_a_tool_is_a_nested_agents_until_the_tool_ends_or_its_run_is_gone(memory):
    runs = Runs(memory, prefix="host:")
    outer = runs.of("outer", "host:a", None)
    outer.turn.tool_entered("c1")
    inner = runs.of("inner", "host:b", None)
    assert inner.turn.parent == "host:a"
    inner.finish(0)
    await outer.turn.tool_finished("c1", "ask", {}, result="done")
    assert runs.of("next", "host:c", None).turn.parent == ""
    outer.turn.tool_entered("c2")
    runs.pop("outer").abandon()  # the tool was cut off, and the context tells of it still
    assert runs.of("later", "host:d", None).turn.parent == ""


async def test_the_oldest_items_give_way_to_a_summary_and_a_change_meanwhile_wins(memory):
    items = [{"role": role, "content": f"Note {n}: the port is {7000 + n}. " + "And so on. " * 60}
             for n in range(8) for role in ("user", "assistant")]  # fmt: skip
    stored = list(items)

    async def read():
        return list(stored)

    async def add(more):
        stored.extend(more)

    async def remove():
        stored.clear()

    ways = {"read": read, "add": add, "remove": remove, "full_at": 0.7, "scope": None}
    await StoredItems(memory, "s", context_window=100_000, **ways).shorten()
    assert stored == items
    shortened = StoredItems(memory, "s", context_window=3_000, **ways)
    await shortened.shorten()
    assert stored[0]["role"] == "system"
    assert "7000" in stored[0]["content"]
    assert len(stored) < len(items)
    assert stored[1:] == items[-len(stored) + 1 :]
    assert len(transcript(memory, "s")) == len(items)
    await shortened.end()
    assert stored == []


async def test_a_tool_takes_the_json_text_of_a_model(memory):
    (search,) = (tool for tool in memory.tools() if tool.name == "memory_search")
    await memory.turn("s").received(TOLD)
    transcript(memory, "s")
    assert "5433" in await search.run('{"query": "port of the database"}', session_key="s")
    for text in ("{", "[1]", "[" * 100_000):
        assert (await search.run(text, session_key="s")).startswith("Error: the arguments are no JSON object")
