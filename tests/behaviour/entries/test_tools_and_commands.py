"""Entries changed by the model, with its tools, and by people, with the commands."""

import pytest

from nanobot_memory_plugins.tools.scripted_model import ToolCall
from tests.behaviour.kit.life import DAY, Conversation, Life
from tests.behaviour.kit.model import forget_call, remember_call, search_call


def listed(life: Life, *more: str) -> set[str]:
    return {one["content"] for one in life.entries(*more)}


@pytest.mark.accept("EB-16")
async def test_the_model_remembers_and_forgets_by_its_tools_in_both_languages(life: Life):
    async with life.host() as memory:
        talk = Conversation(memory)
        for said, text in (
            ("I am allergic to peanuts.", "The user is allergic to peanuts"),
            ("我住在杭州。", "用户住在杭州"),
        ):
            await talk.hear(said)
            answer = await talk.call(remember_call(text, said, pin=True))
            entry = next(one for one in life.entries() if one["content"] == text)
            assert entry["id"] in answer
            assert "ENTRIES.md" in answer
            assert (entry["origin"], entry["pinned"], entry["source_session"]) == ("user", True, talk.key)
        await talk.call(remember_call("The user owns a yacht", "my yacht"))  # nobody said this
        assert "yacht" not in Conversation(memory, "cli:b").prompt()
        todo = remember_call("The user pays the rent", "I pay the rent on Friday", kind="todo", until="2026-02-20")
        await talk.hear("I pay the rent on Friday.")
        await talk.call(todo)
        assert next(one for one in life.entries() if "rent" in one["content"])["expires_at"].startswith("2026-02-21")

        for words in ("allergic to peanuts", "用户住在杭州"):
            await talk.call(forget_call(words))
        assert "peanuts" not in Conversation(memory, "cli:c").prompt()
        assert not {"The user is allergic to peanuts", "用户住在杭州"} & listed(life)
        # A query without a match forgets nothing.
        before = listed(life)
        await talk.call(forget_call("the colour of the bicycle"))
        assert listed(life) == before
    run = life.command("entries", "history", "--json").json["runs"][0]
    assert life.command("entries", "undo", run["run"]).status == 0
    assert "用户住在杭州" in listed(life)


@pytest.mark.accept("EB-17")
@pytest.mark.parametrize("alias", [False, True])
async def test_a_tool_finds_entries_that_are_not_in_the_prompt(life: Life, alias: bool):
    life.command("entries", "remember", "The user owns a canoe", "--importance", "low")
    life.command("entries", "remember", "The user went to Riga", "--importance", "medium")
    life.clock.advance(130 * DAY)
    life.command("entries", "remember", "The user rents a boathouse", "--importance", "low")
    kept = {one["content"]: (one["section"], one["score"]) for one in life.entries()}
    assert kept["The user went to Riga"][0] == "archived"
    assert kept["The user rents a boathouse"][1] < 0.5
    options = {"recall": {"recallMemoryAlias": True}} if alias else {}
    async with life.host(**options) as memory:
        assert "boathouse" not in Conversation(memory).prompt()
        await memory.flush_index()
        talk = Conversation(memory)
        call = (lambda query: ToolCall("recall_memory", {"query": query})) if alias else search_call
        assert "boathouse" in await talk.call(call("boathouse"))
        assert "Riga" in await talk.call(call("Riga trip"))
        assert ("recall_memory" in {tool.name for tool in memory.tools()}) == alias


@pytest.mark.accept("EB-19")
def test_groups_are_nested_and_filter_the_list(life: Life):
    def remember(text: str, *more: str) -> str:
        return str(life.command("entries", "remember", text, *more, "--json").json["entry"]["id"])

    remember("ACME pays late", "--group", "work/clients")
    remember("Standup is at ten", "--group", "work")
    loose = remember("Bolt has two offices")
    remember("The saw is in the workshop", "--group", "workshop")
    assert life.command("entries", "group", loose, "--to", "Work / Clients/Bolt").status == 0
    assert listed(life, "--group", "work") == {"ACME pays late", "Standup is at ten", "Bolt has two offices"}
    assert listed(life, "--group", "work/clients") == {"ACME pays late", "Bolt has two offices"}
    groups = str(life.command("entries", "group", "--json").json)
    assert all(name in groups for name in ("work/clients", "work/clients/bolt", "workshop"))
    assert life.command("entries", "group", loose, "--to", "").status == 0
    assert "Bolt has two offices" not in listed(life, "--group", "work")


def test_every_change_names_its_author_and_is_undone_without_later_changes(life: Life):
    ids = {
        text: str(life.command("entries", "remember", text, "--json").json["entry"]["id"])
        for text in ("The user likes tea", "The user has a dog")
    }
    dog = ids["The user has a dog"]
    assert life.command("entries", "forget", dog).status == 0
    life.command("entries", "remember", "The user reads a lot")
    assert listed(life) == {"The user likes tea", "The user reads a lot"}
    runs = life.command("entries", "history", "--json").json["runs"]
    assert [run["who"] for run in runs] == ["user"] * 4
    assert all(run["time"].startswith("2026-02-16") for run in runs)
    forgotten = next(run for run in runs if any(one["id"] == dog and not one["after"] for one in run["changes"]))
    assert life.command("entries", "undo", forgotten["run"]).status == 0
    assert listed(life) == {"The user likes tea", "The user has a dog", "The user reads a lot"}
    shown = life.command("entries", "show", dog, "--json").json
    assert "The user has a dog" in str(shown)
    history = life.command("entries", "history", dog, "--json").json["runs"]
    assert len(history) == 3
    life.command("entries", "forget", dog)
    assert life.command("entries", "restore", dog).status == 0
    assert "The user has a dog" in listed(life)


def test_commands_show_an_entry_as_it_is_in_the_file_and_only_scores_that_changed(life: Life):
    life.command("entries", "remember", "The user owns a canoe", "--group", "sport")
    (entry,) = life.entries()
    grouped = life.command("entries", "group", entry["id"], "--to", "boats").out
    assert "0.75 ->" not in grouped
    for output in (grouped, life.command("entries", "history").out, life.command("entries", "undo").out):
        assert all(word in output for word in ("group", "sport", "boats")), output
    life.command("entries", "group", entry["id"], "--to", "boats")
    in_file = life.memory.joinpath("ENTRIES.md").read_text(encoding="utf-8").splitlines()
    assert set(life.command("entries", "show", entry["id"]).out.splitlines()[:3]) <= set(in_file)
    life.command("entries", "forget", entry["id"])
    assert "The user owns a canoe" in life.command("entries", "show", entry["id"]).out.splitlines()
