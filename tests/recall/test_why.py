"""`nanobot-memory why`: what a message would recall, what not, and why, told by the path that a turn takes."""

import json
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.host.unhelpful import Unhelpful
from nanobot_memory_plugins.core.values import Hit, Origin, Query, Scope, SearchResult
from nanobot_memory_plugins.recall.cli.examination import Examined, examine
from nanobot_memory_plugins.recall.engine import recall
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.trace import RecallTrace
from tests.support.indexed_workspace import message

SAID = [
    "For billing we chose PostgreSQL as the database.",
    "For billing we really chose PostgreSQL as the database!",
    "The database of the shop is MySQL, and its backups are made at night.",
    "The staging database listens on port 5433.",
    "A database for the archive is not chosen yet.",
    "Our database budget is 900 euros a month, because of the three replicas that we keep in Frankfurt.",
    "The cat is called Mochi.",
]
ASKED = "Do you remember which database we chose?"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    sessions = tmp_path / "memory" / "sessions"
    sessions.mkdir(parents=True)
    for number, text in enumerate(SAID):
        (sessions / f"s{number}.jsonl").write_bytes(message(text, f"m{number}", session=f"cli:{number}"))
    return tmp_path


@pytest.fixture
def ask(workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    def run(*arguments: str, text: bool = False, status: int = 0, **recall: object):
        file = tmp_path / "options.json"
        plugins = {"storage": {"embeddingProvider": "none"}, "recall": recall}
        file.write_text(json.dumps({"memoryPlugins": plugins}), encoding="utf-8")
        more = () if text else ("--json",)
        assert run_command_line(["why", *arguments, "-w", str(workspace), "-c", str(file), *more]) == status
        out = capsys.readouterr().out
        return out if text else json.loads(out.splitlines()[-1])

    return run


def fates(answer: dict) -> dict[str, str]:
    return {one["text"]: one["fate"] for one in answer["candidates"]}


def cuts(answer: dict) -> dict[str, dict]:
    return {one["text"]: one["cut"] for one in answer["candidates"] if one["cut"]}


async def test_what_it_shows_as_injected_is_what_a_turn_injects(workspace: Path):
    plugins = {
        "storage": {"embedding_provider": "none"},
        "recall": {"recall_timeout": 60},
        "nanobot": {"enabled": False},
    }
    # The message itself would be a candidate as soon as it stands in its transcript.
    core = {"message_limit": 60, "keep_transcripts": False}
    config = MemoryConfig.model_validate({"core": core, "plugins": plugins})
    found = await examine(workspace, config, ASKED, recent=[], scope=Scope())
    async with MemoryHost(workspace, config=config) as memory:
        await memory.flush_index()
        turn = await memory.message_received(session_key="cli:new", text=ASKED)
    assert found.recalled.block is not None
    assert turn.hit_ids == found.recalled.block.hit_ids
    assert turn.block is not None
    assert found.recalled.block.text in turn.block


def test_every_candidate_has_its_scores_and_what_became_of_it(ask):
    answer = ask(ASKED)
    assert answer["tier"]["chosen"] == "heavy"
    assert answer["tier"]["signal"] == {"kind": "explicitAnchors", "words": "remember", "turns_back": 0}
    by_text = fates(answer)
    assert by_text[SAID[1]] == "injected" or by_text[SAID[0]] == "injected"
    injected = {one["id"] for one in answer["candidates"] if one["fate"].startswith("injected")}
    assert injected == set(answer["block"]["ids"])
    for one in answer["candidates"]:
        assert one["total"] == pytest.approx(sum(part["value"] * part["weight"] for part in one["parts"]))
        assert one["fate"].startswith("injected") or one["cut"]
    assert answer["block"]["tokens"] <= 800


@pytest.mark.parametrize(
    ("options", "reason", "detail"),
    [
        ({"maxContextTokens": 100, "minShareOfBest": 0}, "budget", "100 tokens"),
        (
            {"maxFullDocs": 1, "maxSnippets": 1, "minShareOfBest": 0},
            "places",
            "maxFullDocs and maxSnippets are 1 and 1",
        ),
        ({"heavyTopK": 2, "minShareOfBest": 0}, "top k", "2 memories at most"),
        ({"minUsefulness": 0.1, "minShareOfBest": 0}, "little use", "minUsefulness is 0.1"),
        ({"minShareOfBest": 0.9}, "little use", "minShareOfBest is 0.9"),
    ],
)
def test_each_cut_names_what_made_it(ask, options, reason, detail):
    answer = ask(ASKED, **options)
    found = [one for one in cuts(answer).values() if one["reason"] == reason]
    assert found
    assert all(detail in one["detail"] for one in found)


def test_people_read_what_would_stand_there_and_what_was_left_out_for_which_reason(ask):
    shown = ask(ASKED, "--limit", "1", text=True)
    assert "Beside this message would stand" in shown
    assert "sessions/s0.jsonl" in shown
    assert "more: --limit" in shown
    assert "another memory says the same" in ask(ASKED, text=True)
    assert "need: " not in shown
    details = ask(ASKED, "--details", text=True)
    assert '"remember" (explicitAnchors)' in details
    assert "need: " in details


def test_where_nothing_stands_beside_a_message_it_says_why(ask):
    assert "it is small talk" in ask("ok, thanks!", text=True)
    assert "can be answered without memory" in ask("The database", text=True, needThreshold=1.0)
    assert "nothing was found" in ask("Xylophone?", text=True)


class PlainStore:
    """A third party's store, which finds two memories and tells nothing about its order."""

    async def search(self, query: Query) -> SearchResult:
        return SearchResult(
            tuple(Hit(str(n), f"{n} is the port", "memory/a.md", n, 1 / n, Origin.USER, coverage=1.0) for n in (1, 2))
        )


async def test_a_store_that_explains_nothing_is_shown_by_its_hits():
    watch = RecallTrace()
    options = RecallOptions(heavy_top_k=1)
    recalled = await recall(PlainStore(), "do you remember the port?", options=options, watch=watch)
    found = Examined(recalled, watch, options, 0.45).candidates()
    assert [(one.place, one.total, one.fate) for one in found] == [(1, None, "injected"), (2, None, "top k")]


def test_what_did_not_help_comes_one_step_later_until_that_is_taken_back(ask, workspace: Path):
    def block() -> list[str]:
        return ask(ASKED)["block"]["ids"]

    def stored() -> dict[str, bytes]:
        return {str(one): one.read_bytes() for one in (workspace / "memory" / "sessions").iterdir()}

    before, files = block(), stored()
    assert "PostgreSQL" in ask(ASKED)["candidates"][0]["text"]
    first = ask(ASKED)["candidates"][0]["id"]
    marked = ask(ASKED, "--not-helpful", "1")
    again = ask(ASKED, "--not-helpful", "1")  # once is enough: it is one step
    assert marked["block"]["ids"] == again["block"]["ids"]
    assert before.index(first) == 0
    assert first not in again["block"]["ids"][:1]
    assert again["candidates"][0]["unhelpful"]
    assert "said not to help" in ask(ASKED, text=True)
    assert ask(ASKED, "--helpful", "1")["block"]["ids"] == before
    assert stored() == files
    answer = ask(ASKED, "--not-helpful", "99", status=2)
    assert "No memory has the number 99" in str(answer["error"])


async def test_a_turn_and_the_tool_put_later_what_did_not_help(workspace: Path):
    config = MemoryConfig.model_validate(
        {
            "core": {"message_limit": 60},
            "plugins": {"storage": {"embedding_provider": "none"}, "recall": {"recall_timeout": 60}},
        }
    )
    async with MemoryHost(workspace, config=config) as host:
        await host.flush_index()
        tool = host.tool("memory_search")
        assert tool is not None
        told = await tool.run({"query": "which database for billing"}, session_key="new")
        first = told.split("id ", 1)[1].split(" ", 1)[0]
        assert Unhelpful(workspace).say(first, helped=False)
        assert not Unhelpful(workspace).say(first, helped=False)
        told = await tool.run({"query": "which database for billing"}, session_key="new")
        assert told.split("id ", 1)[1].split(" ", 1)[0] != first
        assert first in told
        assert Unhelpful(workspace).ids() == {first}
