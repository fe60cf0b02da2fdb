"""What is about a project comes first while it is worked in, and stays out of the prompts of others."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.model.belonging import belonging
from nanobot_memory_plugins.core import InputError, MemoryConfig, Scope
from nanobot_memory_plugins.core.scopes.projects import project_named, project_of

NOW = datetime(2026, 3, 6, 12, tzinfo=UTC)
CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 30, "tool_limit": 30, "start_limit": 60},
        "plugins": {"storage": {"embedding_provider": "none"}, "nanobot": {"enabled": False}},
    }
)
ALPHA, BETA = Scope(project="ana/alpha"), Scope(project="ana/beta")


@pytest.mark.parametrize(
    ("category", "project"), [("fact", ""), ("preference", ""), ("decision", "p"), ("workflow", "p")]
)
def test_a_fact_belongs_to_the_project_or_to_the_person(category: str, project: str):
    assert belonging(Scope(user="ana", project="p"), category) == Scope(user="ana", project=project)
    assert belonging(Scope(user="ana"), category) == Scope(user="ana")


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
