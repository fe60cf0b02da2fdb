"""Owners of memories: people and projects."""

import os
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.model.entry import owner_scope
from nanobot_memory_plugins.core import InputError, Scope
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.privacy_marks import PrivacyFile
from nanobot_memory_plugins.core.scopes.people import People, Senders
from nanobot_memory_plugins.core.scopes.projects import git, named_project, project_of
from nanobot_memory_plugins.core.scopes.scopes import Scopes
from tests.support.each import each

SEVERAL = Senders(one_user=False)


@each(
    ("share", "scope", "senders", "nobodys"),
    [
        ("auto", Scope(session="s"), SEVERAL, True),
        ("auto", Scope(session="s", channel="web"), SEVERAL, True),
        ("auto", Scope(session="s"), Senders(), False),
        ("auto", Scope(user="eve"), SEVERAL, False),
        ("auto", Scope(group_chat="g"), SEVERAL, False),
        ("auto", Scope(), SEVERAL, False),
        ("session", Scope(session="s"), SEVERAL, False),
        ("auto", Scope(session="s"), Senders(one_user=False, unified=True, owner=frozenset({"cli"})), False),
    ],
)
def test_is_nobodys_needs_several_users_and_a_memory_without_a_name(
    share: str, scope: Scope, senders: Senders, nobodys: bool
):
    of = Scopes(share, people=lambda: People({}, senders))  # type: ignore[arg-type]
    assert of.is_nobodys(scope) is nobodys


def test_the_first_twenty_writers_are_recorded_once(tmp_path: Path):
    paths = MemoryPaths.of(tmp_path)
    file = PrivacyFile(paths)
    file.note_writer("p0")
    written = paths.privacy.stat().st_mtime_ns
    file.note_writer("p0")
    assert paths.privacy.stat().st_mtime_ns == written
    for number in range(30):
        file.note_writer(f"p{number}")
    assert PrivacyFile(paths).read().heard == tuple(f"p{number}" for number in range(20))


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in the home folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "alpha"
    git(tmp_path, "init", "--quiet", str(folder))
    (folder / "src").mkdir()
    return folder


def cloned_from(clone: Path, address: str) -> str:
    git(clone, "remote", "add", "origin", address)
    return project_of(clone / "src")


def test_a_project_without_a_remote_has_the_name_of_its_folder_and_the_home_folder_is_none(clone: Path):
    assert project_of(clone / "src") == "alpha"
    git(clone.parent, "init", "--quiet")
    assert project_of(clone.parent) == ""


def test_projects_work_for_a_user_without_a_home_folder(clone: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", dict[int, str]().__getitem__)  # as in a container that any user runs
    assert project_of(clone / "src") == "alpha"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives a folder to another user")
def test_a_repository_of_another_user_is_a_project(clone: Path):
    git(clone, "remote", "add", "origin", "https://git.example.com/ana/alpha.git")
    for path in (clone, *clone.rglob("*")):
        os.chown(path, 12345, 12345)
    assert project_of(clone / "src") == "ana/alpha"


def test_naming_a_folder_outside_a_repository_is_an_error_with_a_hint():
    with pytest.raises(InputError) as caught:
        named_project("/")
    assert str(caught.value.cause) == "/ is not in a repository."
    assert str(caught.value.hint) == "Give the project's name instead."


@pytest.mark.parametrize(
    "address",
    ["https://git.example.com/ana/alpha.git", "https://git.example.com/ana/alpha/", "git@example.com:ana/alpha.git"],
)
def test_a_project_is_named_after_its_remote_address(clone: Path, address: str):
    assert cloned_from(clone, address) == "ana/alpha"


@pytest.mark.parametrize("address", ["https://ana:s3cret@alpha.git", "https://ana:s3cret@git.example.com/alpha.git"])
def test_a_projects_name_contains_no_password(clone: Path, address: str):
    assert "s3cret" not in cloned_from(clone, address)


@pytest.mark.parametrize(
    ("category", "project"), [("fact", ""), ("preference", ""), ("decision", "p"), ("workflow", "p")]
)
def test_the_category_decides_whether_an_entry_belongs_to_the_project(category: str, project: str):
    assert owner_scope(Scope(user="ana", project="p"), category) == Scope(user="ana", project=project)
    assert owner_scope(Scope(user="ana"), category) == Scope(user="ana")
