"""What is about a project comes first while it is worked in, and stays out of the prompts of others."""

import json
import os
import subprocess
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.model.belonging import belonging
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import InputError, MemoryConfig, MemoryHost, Query, Scope
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.host.memory_service import MemoryService
from nanobot_memory_plugins.core.scopes import project_named, project_of
from tests.support.each import each

NOW = datetime(2026, 3, 6, 12, tzinfo=UTC)
CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 30, "tool_limit": 30, "start_limit": 60},
        "plugins": {"storage": {"embedding_provider": "none"}, "nanobot": {"enabled": False}},
    }
)
ALPHA, BETA = Scope(project="ana/alpha"), Scope(project="ana/beta")


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[MemoryHost]:
    old = Entry("00001111", "The office closes at six", "fact", 0.9, NOW)
    EntryRepository(tmp_path, clock=ManualClock(NOW)).update(lambda _: {old.id: old}, who="test", why="test")
    async with MemoryHost(tmp_path, config=CONFIG) as host:
        await host.message_received(session_key="a", text="Remember that the tests run with pytest.", scope=ALPHA)
        await host.message_received(session_key="b", text="Remember that the tests run with jest.", scope=BETA)
        await host.message_received(session_key="a", text="Remember that I am allergic to nuts.", scope=ALPHA)
        await host.flush_index()
        yield host


def prompt(memory: MemoryHost, session: str, scope: Scope | None = None) -> str:
    return memory.prompt_entries("", session_key=session, scope=scope).text


async def test_a_prompt_holds_what_is_about_the_person_and_this_project(memory: MemoryHost):
    alpha, beta, none = prompt(memory, "a"), prompt(memory, "new", BETA), prompt(memory, "c")
    assert "pytest" in alpha
    assert "jest" not in alpha
    assert "jest" in beta
    assert "pytest" not in beta
    assert "jest" not in none
    for text in (alpha, beta, none):  # and what names no project is nowhere missing
        assert "nuts" in text
        assert "closes at six" in text


async def test_a_search_finds_all_and_puts_this_project_first(memory: MemoryHost):
    for scope, first, last in ((ALPHA, "pytest", "jest"), (BETA, "jest", "pytest")):
        visible = memory.visible_scope(Scope(session="new", project=scope.project))
        found = [hit.text for hit in (await memory.search(Query("how do the tests run", scope=visible))).hits]
        assert first in found[0]
        assert any(last in text for text in found)
        places = {word: min(n for n, text in enumerate(found) if word in text) for word in (first, last)}
        assert places[first] < places[last]


async def test_what_one_project_says_takes_nothing_from_another(memory: MemoryHost):
    await memory.message_received(session_key="b2", text="Remember that the tests run with pytest.", scope=BETA)
    kept = [(one.scope.project, one.content) for one in EntryRepository(memory.workspace).load().entries.values()]
    assert sorted(project for project, text in kept if "pytest" in text) == ["ana/alpha", "ana/beta"]
    forget = memory.tool("forget")
    assert forget is not None
    await forget.run({"query": "The tests run with pytest"}, session_key="b2")
    kept = [(one.scope.project, one.content) for one in EntryRepository(memory.workspace).load().entries.values()]
    assert [project for project, text in kept if "pytest" in text] == ["ana/alpha"]


@each(
    ("text", "category", "project"),
    [
        ("The staging database is PostgreSQL 16", "fact", "p"),
        ("We release on Thursdays", "decision", "p"),
        ("I run the linter before each commit", "workflow", "p"),
        ("I have two daughters", "fact", ""),
        ("The user lives in Porto", "fact", ""),
        ("Answers should be short", "preference", ""),
        ("I prefer tabs in this repository", "preference", "p"),
        ("我对花生过敏", "fact", ""),
        ("测试数据库是 PostgreSQL 16", "fact", "p"),
        ("我們在這個項目用 pnpm", "fact", "p"),
    ],
)
def test_a_fact_belongs_to_the_project_or_to_the_person(text: str, category: str, project: str):
    assert belonging(Scope(user="ana", project="p"), text, category) == Scope(user="ana", project=project)
    assert belonging(Scope(user="ana"), text, category) == Scope(user="ana")


async def test_a_service_names_the_project_for_calls_that_name_none(tmp_path: Path):
    async with MemoryService(tmp_path, config=CONFIG, project="ana/alpha", start_limit=60) as service:
        turn = service.turn("s")
        await turn.received("Remember that the tests run with pytest.")
        assert "pytest" in (await service.prompt_entries(session_key="s")).text
        assert "pytest" not in (await service.prompt_entries(session_key="o", scope=BETA)).text
    [entry] = EntryRepository(tmp_path).load().entries.values()
    assert entry.scope.project == "ana/alpha"


def git(folder: Path, *arguments: str) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, env=environment)


def test_a_project_is_the_repository_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "work" / "deep").mkdir(parents=True)
    assert project_of(tmp_path / "work") == ""
    git(tmp_path / "work", "init")
    alone = project_of(tmp_path / "work" / "deep")
    assert alone.startswith("work-")
    git(tmp_path / "work", "remote", "add", "origin", "https://ana:s3cret@git.example.com/ana/alpha.git")
    assert project_of(tmp_path / "work" / "deep") == "ana/alpha"
    git(tmp_path / "work", "commit", "--allow-empty", "-m", "first")
    git(tmp_path / "work", "worktree", "add", "../tree")
    assert project_of(tmp_path / "tree") == "ana/alpha"
    git(tmp_path / "work", "remote", "set-url", "origin", "git@git.example.com:team/beta")
    assert project_of(tmp_path / "tree") == "team/beta"
    git(tmp_path, "init")  # settings under version control are no project
    (tmp_path / "elsewhere").mkdir()
    assert project_of(tmp_path / "elsewhere") == ""
    monkeypatch.chdir(tmp_path / "tree")
    assert project_named(".") == "team/beta"
    assert project_named("any/name") == "any/name"
    with pytest.raises(InputError, match="lies in no repository"):
        project_named("..")


def test_the_command_line_remembers_lists_and_searches_by_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    workspace = ["-w", str(tmp_path)]

    def told(*arguments: str) -> dict[str, list[dict[str, str]]]:
        capsys.readouterr()
        assert run_command_line([*arguments, *workspace, "--json"]) == 0
        return json.loads(capsys.readouterr().out.splitlines()[-1])

    for project, tool in (("alpha", "pytest"), ("beta", "jest")):
        told("entries", "remember", f"The tests run with {tool}", "--project", project)
    told("entries", "remember", "I am allergic to nuts")
    assert [one["content"] for one in told("entries", "list", "--project", "beta")["entries"]] == [
        "The tests run with jest"
    ]
    for project, tool in (("alpha", "pytest"), ("beta", "jest")):
        hits = told("search", "how do the tests run", "--project", project, "--no-embeddings")["hits"]
        assert tool in hits[0]["snippet"]
        assert {"jest", "pytest"} <= {hit["snippet"].split()[-1] for hit in hits}
    assert run_command_line(["search", "tests", "--project", "/", *workspace, "--json"]) != 0
