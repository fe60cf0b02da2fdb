"""What is about a project comes first while it is worked in, and stays out of the prompts of others."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.model.belonging import belonging
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import InputError, MemoryConfig, Scope
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
