"""A workspace that belongs to another user than the one who runs a command: it stays theirs."""

import os
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.keeping_findings import keeping_findings
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.values.diagnosis import Health

AGENT = 65534

pytestmark = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="root alone writes into what is another's"
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


def owners(folder: Path) -> dict[str, int]:
    return {path.relative_to(folder).as_posix(): path.lstat().st_uid for path in sorted(folder.rglob("*"))}


@pytest.fixture
def theirs(workspace: Path) -> Path:
    """A workspace of the agent's user, in which that user has kept something."""
    assert run_command_line(["entries", "remember", "The user sells figs.", "-w", str(workspace)]) == 0
    for path in (workspace, *workspace.rglob("*")):
        os.chown(path, AGENT, AGENT, follow_symlinks=False)
    return workspace


@pytest.mark.parametrize(
    "command",
    [
        ("entries", "remember", "The user sells plums."),
        ("index", "--no-embeddings"),
        ("search", "figs", "--no-embeddings"),
        ("purge", "--text", "figs", "--yes"),
    ],
    ids=lambda command: command[0],
)
def test_what_root_writes_into_the_workspace_of_another_is_theirs(theirs: Path, command: tuple[str, ...]):
    assert run_command_line([*command, "-w", str(theirs)]) == 0
    assert set(owners(theirs).values()) == {AGENT}


def test_what_leads_out_of_the_workspace_stays_whose_it_is(theirs: Path, tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("secret", "linked"):
        (outside / name).write_text("of root", encoding="utf-8")
    os.link(outside / "secret", theirs / "memory" / "secret.md")
    (theirs / "memory" / "linked.md").symlink_to(outside / "linked")
    (theirs / "memory" / "folder").symlink_to(outside)
    assert run_command_line(["entries", "remember", "The user sells plums.", "-w", str(theirs)]) == 0
    assert set(owners(outside).values()) == {0}


def test_a_workspace_of_root_stays_roots(workspace: Path):
    assert run_command_line(["entries", "remember", "The user sells figs.", "-w", str(workspace)]) == 0
    assert set(owners(workspace).values()) == {0}


def test_doctor_names_what_the_agent_cannot_read_and_whose_it_is(theirs: Path):
    os.chown(theirs / "memory" / "ENTRIES.md", 0, 0)
    for folder in theirs.parents[: len(theirs.parents) - 2]:
        folder.chmod(0o755)
    os.seteuid(AGENT)
    try:
        found = {one.subject: one for one in keeping_findings(theirs)}
    finally:
        os.seteuid(0)
    owner = found["owner"]
    assert owner.health is Health.BAD
    assert "memory/ENTRIES.md" in owner.state
    assert "root" in owner.state
    assert f"sudo chown -R nobody {theirs}" in owner.hint
