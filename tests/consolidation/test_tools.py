"""The tools with which the model remembers and forgets."""

import json
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.core.text.attribution import UserAttribution
from nanobot_memory_plugins.core.text.fence import PREFIX
from nanobot_memory_plugins.core.values import Origin
from tests.support.chinese import in_both_scripts

from .test_spoken import config, entries, known, say


@pytest.fixture
async def host(workspace: Path):
    async with MemoryHost(workspace, config=config()) as memory:
        yield memory


async def run(host: MemoryHost, name: str, session: str = "cli:direct", **arguments: object) -> str:
    tool = next(one for one in host.tools() if one.name == name)
    return await tool.run(arguments, session_key=session)


@pytest.mark.accept("EB-16")
async def test_remember_answers_with_file_and_id_of_what_was_written(host, workspace):
    await say(host, "We ship Acme's invoices on the 3rd, that is a rule of ours.")
    answer = await run(
        host,
        "remember",
        text="Acme's invoices are shipped on the 3rd",
        category="workflow",
        importance="high",
        expires_at="2027-01-01",
        group="Work/Clients",
    )
    (entry,) = entries(workspace)
    assert answer == f"Written to memory/ENTRIES.md: [{entry.id}] Acme's invoices are shipped on the 3rd"
    assert (entry.category, entry.score, entry.group) == ("workflow", 0.8, "work/clients")
    assert (entry.expires_at.isoformat(), entry.source_session) == ("2027-01-01T00:00:00+00:00", "cli:direct")
    assert entry.origin is Origin.USER


@pytest.mark.parametrize(
    ("said", "text", "origin"),
    in_both_scripts(
        [
            ("I like oolong tea a lot", "The user likes oolong tea", Origin.USER),
            ("我很喜欢喝乌龙茶", "用户喜欢喝乌龙茶", Origin.USER),
            ("What is the weather like?", "The user likes oolong tea", Origin.SUMMARY),
            ("I do not like oolong tea", "The user likes oolong tea", Origin.SUMMARY),
            ("I pay Acme within 14 days", "The user pays Acme within 30 days", Origin.SUMMARY),
            ("今天天气怎么样", "用户喜欢喝乌龙茶", Origin.SUMMARY),
            ("My brother lives in Oslo and I live in Bergen.", "The user lives in Oslo", Origin.SUMMARY),
            ("My brother lives in Oslo and I live in Bergen.", "The user lives in Bergen", Origin.USER),
            ("My brother lives in Oslo and I live in Bergen.", "The user's brother lives in Oslo", Origin.USER),
            ("房租900，工资4200", "用户的工资是900", Origin.SUMMARY),
            ("房租900，工资4200", "用户的工资是4200", Origin.USER),
        ]
    ),
)
async def test_only_what_the_users_own_words_bear_out_is_the_users(host, workspace, said, text, origin):
    await say(host, said)
    await run(host, "remember", text=text)
    (entry,) = entries(workspace)
    assert entry.origin is origin


async def test_what_another_session_said_bears_nothing_out(host, workspace):
    await say(host, "I like oolong tea", session="cli:other")
    await run(host, "remember", text="The user likes oolong tea")
    assert entries(workspace)[0].origin is Origin.SUMMARY


async def test_what_tools_said_bears_nothing_out(host, workspace):
    await say(host, "read the page please", ("tool", "The user likes oolong tea"), ("assistant", "Likes oolong tea."))
    await run(host, "remember", text="The user likes oolong tea")
    assert entries(workspace)[0].origin is Origin.SUMMARY


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"text": ""},
        {"text": "x" * 5_000},
        {"text": "a", "category": "mood"},
        {"text": "a", "expires_at": "soon"},
        {"text": 7},
    ],
)
async def test_wrong_arguments_are_said_and_nothing_is_written(host, workspace, arguments):
    answer = await run(host, "remember", **arguments)
    assert answer.startswith("Error: nothing was remembered.")
    assert entries(workspace) == []


async def test_a_wrong_kind_is_answered_in_the_words_of_the_tool(host):
    answer = await run(host, "remember", text="I like tea", kind="nonsense")
    assert "kind: Input should be 'preference', 'fact'" in answer
    assert "'note'" in answer
    assert "enum" not in answer
    assert "literal" not in answer


@pytest.mark.accept("EB-16")
async def test_forget_by_id_and_by_what_it_says(host, workspace):
    tea, dog, _ = known(workspace, "I like oolong tea", "I have a dog named Bo", "I live in Bonn")
    assert f"[{tea}] I like oolong tea" in await run(host, "forget", id=f"[{tea}]")
    assert f"[{dog}]" in await run(host, "forget", query="the dog")
    assert [entry.content for entry in entries(workspace)] == ["I live in Bonn"]


@pytest.mark.accept("EB-16")
async def test_several_that_may_be_meant_are_listed_inside_a_fence(host, workspace):
    first, second = known(workspace, "I like oolong tea", "I like green tea")
    answer = await run(host, "forget", query="I like tea")
    assert answer.startswith("Nothing was forgotten: it is not certain which entry is meant.")
    assert PREFIX["en"] in answer
    assert first in answer
    assert second in answer
    assert len(entries(workspace)) == 2


async def test_an_unknown_id_and_nothing_at_all_forget_nothing(host, workspace):
    known(workspace, "I like oolong tea")
    assert "There is no entry nope." in await run(host, "forget", id="nope")
    assert "give its id" in await run(host, "forget")
    assert "no entry says that" in await run(host, "forget", query="my phone number")
    assert len(entries(workspace)) == 1


async def test_what_was_purged_is_not_taken_up_again_on_the_models_own_account(host, workspace):
    (tea,) = known(workspace, "The user likes oolong tea")
    from nanobot_memory_plugins.consolidation.operations.purge import purge

    purge(EntryRepository(workspace), [tea], who="user")
    answer = await run(host, "remember", text="The user likes oolong tea")
    assert answer.startswith("Error: remember was not run.")
    assert "forgotten for good" in answer
    assert entries(workspace) == []


async def test_a_file_that_cannot_be_written_is_said(host, workspace):
    (workspace / "memory" / "ENTRIES.md").mkdir()
    assert (await run(host, "remember", text="I like tea")).startswith("Error: nothing was remembered.")


def test_the_schemas_are_plain_json(workspace):
    from nanobot_memory_plugins.consolidation.commands.tools import ForgetTool, Remember

    for tool in (Remember, ForgetTool):
        schema = json.loads(json.dumps(tool.parameters, default=dict))
        assert schema["type"] == "object"
        assert set(schema["required"]) <= set(schema["properties"])


async def test_forget_takes_an_id_for_what_the_entry_says(host, workspace):
    (tea,) = known(workspace, "I like oolong tea")
    assert f"[{tea}] I like oolong tea" in await run(host, "forget", query=f"[{tea}]")
    assert entries(workspace) == []


@pytest.mark.parametrize(("said", "origin"), [("The gateway needs port 8443, and it took a day.", "user"), ("hi", "")])
async def test_a_note_goes_to_the_file_of_its_day_and_is_whose_words_it_is(host, workspace, said, origin):
    await say(host, said)
    wanted = {"text": "The gateway needs port 8443", "details": "it took a day", "kind": "note"}
    answer = await run(host, "remember", **wanted)
    assert answer.startswith("Kept in 20")
    assert entries(workspace) == []
    (file,) = (workspace / "memory").glob("20*.md")
    assert "The gateway needs port 8443" in file.read_text("utf-8")
    assert ("origin: user" in file.read_text("utf-8")) == bool(origin)


def test_numbers_and_negation_must_agree():
    words = UserAttribution()
    words.hear("s", "I live at 5 Elm Street", ())
    assert words.hold("s", "The user lives at 5 Elm Street")
    assert not words.hold("s", "The user lives at 6 Elm Street")
    assert not words.hold("s", "The user does not live at 5 Elm Street")
    assert not words.hold("other", "The user lives at 5 Elm Street")


TALK = [
    ("user", "Book the trip, please."),
    ("assistant", "Should I take seats by the window, Mara?"),
    ("user", "yes please, and I can't stand tofu, so no tofu menu."),
    ("tool", "The user wants seats in row 12."),
]


@pytest.mark.parametrize(
    ("text", "quote", "origin"),
    [
        ("The user wants seats by the window", "Should I take seats by the window", Origin.USER),
        ("The user dislikes tofu", "I can't stand tofu", Origin.USER),
        ("The user hates meat", "I can't stand tofu", Origin.SUMMARY),
        ("The user wants seats in row 12", "The user wants seats in row 12.", Origin.SUMMARY),
        ("The user wants seats in row 12", "Should I take seats by the window", Origin.SUMMARY),
        ("The user dislikes tofu", "these words stand nowhere", Origin.USER),
    ],
)
async def test_the_model_may_say_on_which_words_a_fact_rests(host, workspace, text, quote, origin):
    *before, (_, last), tool = TALK
    await say(host, last, *before)
    await host.tool_executed(session_key="cli:direct", tool_name="read", arguments={}, result=tool[1])
    await run(host, "remember", text=text, said=quote)
    (entry,) = entries(workspace)
    assert entry.origin is origin
