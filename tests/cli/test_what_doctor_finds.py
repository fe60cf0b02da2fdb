"""The problems that ``doctor`` finds, and its hints: each suggested command is run here."""

import codecs
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.core.cli.findings import folder_findings
from nanobot_memory_plugins.core.config.reading import load_config
from nanobot_memory_plugins.core.files.appending import acquire_lock
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.privacy_marks import PrivacyFile, UnfinishedPurge
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.core.values.diagnosis import Health
from tests.support.ordinary_user import folder_of_an_ordinary_user

COMMAND = re.compile(r"`([^`]+)`")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    (home / ".nanobot").mkdir(parents=True)
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(home))
    for variable in ("NANOBOT_MEMORY_CONFIG", "NANOBOT_MEMORY_WORKSPACE"):
        monkeypatch.delenv(variable, raising=False)
    # One small plugin is enough here.
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "observation")
    monkeypatch.chdir(tmp_path)
    return home


def doctor(workspace: Path, **more: Any) -> tuple[int, dict[str, dict[str, str]]]:
    """Run the doctor as a program, and return its exit status and the problems by subject."""
    command = [sys.executable, "-m", "nanobot_memory_plugins.core.cli", "doctor", "--json", "-w", str(workspace)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **more)
    assert done.stdout, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])["findings"]
    return done.returncode, {one["subject"]: one for one in found if one["health"] not in ("good", "info")}


def run_hint(hint: str) -> subprocess.CompletedProcess[str]:
    """Run the first command in a hint."""
    found = COMMAND.search(hint)
    assert found, hint
    command = re.sub(r"^nanobot-memory(?= )", f"'{sys.executable}' -m nanobot_memory_plugins.core.cli", found[1])
    return subprocess.run(command, shell=True, capture_output=True, text=True, check=False)


@pytest.mark.skipif(sys.platform == "win32", reason="modes of files")
def test_a_configuration_that_this_user_may_not_read_is_a_problem(monkeypatch: pytest.MonkeyPatch):
    codecs.lookup("utf-8-sig")
    with folder_of_an_ordinary_user() as folder:
        (folder / ".nanobot").mkdir()
        config = folder / ".nanobot" / "config.json"
        config.write_text('{"channels": {"memoryPlugins": {"recall": {"enabled": false}}}}')
        config.chmod(0)
        monkeypatch.setenv("HOME", str(folder))
        monkeypatch.chdir(folder)
        (problem,) = load_config(environment={}).problems
        assert problem.is_unread
        assert "Permission denied" in problem.message
        config.chmod(0o400)
        memory = load_config(environment={})
        assert (memory.problems, memory.enabled("recall")) == ((), False)


@pytest.mark.parametrize("name", ["memory", ".storage"])
def test_the_hint_moves_a_file_that_is_in_place_of_a_folder(tmp_path: Path, name: str):
    workspace = tmp_path / "a workspace"
    path = workspace / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    (finding,) = folder_findings(workspace)
    assert finding.subject == f"folder {name}"
    assert finding.health is (Health.DEGRADED if name == ".storage" else Health.BAD)
    assert run_hint(finding.hint).returncode == 0
    assert list(folder_findings(workspace)) == []
    assert path.with_name(f"{path.name}.aside").read_text() == "mine"


@pytest.mark.slow
def test_an_interrupted_purge_is_found_and_a_scrub_finishes_it(tmp_path: Path):
    paths = MemoryPaths.of(tmp_path)
    paths.memory.mkdir()
    file = PrivacyFile(paths)
    file.note_purge(UnfinishedPurge(Erasure(words=("Kafka",)), "2026-03-06T12:00:00+00:00"))
    with acquire_lock(paths, "work", 0.0):  # keeps the purge from being finished
        _, found = doctor(tmp_path)
    assert "begun at 2026-03-06" in found["forgetting for good"]["state"]
    scrub = [sys.executable, "-m", "nanobot_memory_plugins.core.cli", "scrub", "--everywhere", "-w", str(tmp_path)]
    assert subprocess.run(scrub, capture_output=True, check=False, timeout=120).returncode == 0
    assert doctor(tmp_path) == (0, {})
    assert file.read().unfinished is None
