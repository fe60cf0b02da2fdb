"""The commands that describe an installation."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from nanobot_memory_plugins.core.cli.doctor_command import doctor
from nanobot_memory_plugins.core.cli.machine_findings import memory_file_findings, workspace_finding
from nanobot_memory_plugins.core.cli.plugins_command import plugins
from nanobot_memory_plugins.core.values.diagnosis import Health
from tests.support.ordinary_user import folder_of_an_ordinary_user


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's own files out of it, and the embedding model with its plugin."""
    monkeypatch.chdir(tmp_path)
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    for variable in ("NANOBOT_MEMORY_CONFIG", "NANOBOT_MEMORY_WORKSPACE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "recall,observation")


def call(command: Any, *arguments: str) -> tuple[int, str]:
    app = typer.Typer()
    app.command()(command)
    result = CliRunner().invoke(app, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout


def answer(command: Any, *arguments: str) -> tuple[int, dict[str, Any]]:
    code, output = call(command, *arguments, "--json")
    (line,) = output.splitlines()
    return code, json.loads(line)


def config_file(tmp_path: Path, **section: object) -> str:
    file = tmp_path / "given.json"
    file.write_text(json.dumps({"memoryPlugins": section}))
    return str(file)


def test_plugins_are_described_without_starting_them(tmp_path: Path):
    code, told = answer(plugins, "--workspace", str(tmp_path / "ws"))
    assert code == 0
    rows = {row["name"]: row for row in told["plugins"]}
    assert rows["recall"]["distribution"] == "nanobot-memory-recall"
    assert rows["recall"]["version"]
    assert "on_message_received" in rows["recall"]["hooks"]
    assert (rows["recall"]["enabled"], rows["recall"]["state"]) == (True, "active")
    assert (rows["storage"]["enabled"], rows["storage"]["state"]) == (False, "disabled")
    assert told["problems"] == []
    assert not (tmp_path / "ws").exists()


@pytest.mark.accept("PL-03")
def test_plugins_follow_the_configuration_and_tell_its_problems(tmp_path: Path):
    file = config_file(tmp_path, recall={"enabled": False}, observation={"maxResultChars": "long"}, recal={})
    code, told = answer(plugins, "--config", file)
    assert code == 0
    rows = {row["name"]: row for row in told["plugins"]}
    assert (rows["recall"]["enabled"], rows["recall"]["state"]) == (False, "disabled")
    assert rows["observation"]["enabled"]
    assert [problem["key"] for problem in told["problems"]] == [
        "memoryPlugins.recal",
        "memoryPlugins.observation.maxResultChars",
    ]
    assert all(problem["source"] == file for problem in told["problems"])


def test_plugins_are_a_table_for_people_and_all_names_the_hooks_whole(tmp_path: Path):
    file = config_file(tmp_path, recal={})
    code, output = call(plugins, "--config", file)
    assert code == 0
    assert "nanobot-memory-recall" in output
    assert "on_message_received" not in output
    assert max(map(len, output.splitlines())) <= 80
    code, output = call(plugins, "--config", file, "--all")
    hooks = " ".join(line.strip() for line in output.splitlines() if line.startswith("    "))
    assert "contribute_tools, diagnose, on_draft_written, on_message_received" in hooks


@pytest.mark.accept("PL-03")
def test_doctor_starts_the_memory_in_spite_of_a_wrong_configuration(tmp_path: Path):
    file = config_file(tmp_path, recall={"recallTopK": "many"}, core={"messageLimit": 0})
    code, told = answer(doctor, "--workspace", str(tmp_path), "--config", file)
    assert (code, told["ok"]) == (0, True)
    findings = {finding["subject"]: finding for finding in told["findings"]}
    for key in ("memoryPlugins.recall.recallTopK", "memoryPlugins.core.messageLimit"):
        finding = findings[f"configuration {key}"]
        assert finding["health"] == "degraded"
        assert finding["state"].startswith(f"{key}: ")
        assert finding["mend"]
    assert findings["plugin recall"]["health"] == "good"
    assert findings["python"]["state"].startswith(".".join(map(str, sys.version_info[:3])))


def test_doctor_says_one_finding_a_line_in_a_pipe(tmp_path: Path):
    code, output = call(doctor, "--workspace", str(tmp_path))
    assert code == 0
    lines = output.splitlines()
    assert {line.split()[0] for line in lines} <= {"good", "info", "degraded", "bad"}
    assert f"good      workspace: {tmp_path}" in lines


@pytest.mark.parametrize("verbose", [False, True])
def test_doctor_says_once_what_is_logged_and_found(tmp_path: Path, verbose: bool, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("NANOBOT_MEMORY_PLUGINS")
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "ENTRIES.md").write_text("# Agent Memory\n\n## Active Memories\n\n### [broken] fact\nx\n")
    config = tmp_path / "config.json"
    config.write_text('{"memoryPlugins": {"recall": {"injectLimit": 3}}}')
    command = [sys.executable, "-m", "nanobot_memory_plugins.core.cli", *(["--verbose"] if verbose else []), "doctor"]
    done = subprocess.run(
        [*command, "--workspace", str(tmp_path), "--config", str(config)], capture_output=True, encoding="utf-8"
    )
    for reason in ("it is no entry", "there is no such option"):
        assert done.stdout.count(reason) == 1, done.stdout
        assert (reason in done.stderr) == verbose
    assert verbose or done.stderr == ""


def test_doctor_tells_what_a_plugin_that_breaks_cannot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    site = tmp_path / "site"
    metadata = site / "broken_doctor-1.dist-info"
    metadata.mkdir(parents=True)
    (site / "broken_doctor.py").write_text(
        "from nanobot_memory_plugins.core import hookimpl\n\n@hookimpl\ndef diagnose():\n    raise KeyError\n"
    )
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-doctor\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(
        "[nanobot_memory_plugins]\nbroken = broken_doctor\ngone = no_such_module_at_all\n"
    )
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "broken,gone")
    code, told = answer(doctor, "--workspace", str(tmp_path))
    assert (code, told["ok"]) == (1, False)
    assert [found["subject"] for found in told["findings"] if found["health"] == "bad"] == ["plugin gone"]
    (warning,) = [found["state"] for found in told["findings"] if found["subject"] == "warning"]
    assert "broken" in warning
    assert "KeyError" in warning


def test_doctor_fails_when_something_is_bad(tmp_path: Path):
    file = tmp_path / "file"
    file.touch()
    code, told = answer(doctor, "--config", config_file(tmp_path), "--workspace", str(file / "below"))
    assert (code, told["ok"]) == (1, False)
    assert [finding["subject"] for finding in told["findings"] if finding["health"] == "bad"] == ["workspace", "memory"]


def test_the_workspace_is_looked_at_and_left_as_it_was(tmp_path: Path):
    assert workspace_finding(tmp_path).health is Health.GOOD
    assert workspace_finding(tmp_path / "new").health is Health.BAD
    assert list(tmp_path.iterdir()) == []


def test_a_workspace_that_cannot_be_written_is_bad():
    with folder_of_an_ordinary_user() as folder:
        folder.chmod(0o500)
        assert workspace_finding(folder).health is Health.BAD


def test_memory_files_are_counted(tmp_path: Path):
    memory = tmp_path / "memory"
    (memory / "sessions").mkdir(parents=True)
    (memory / "MEMORY.md").write_bytes(b"x" * 1_500)
    for day in ("2026-01-01", "2026-01-02"):
        (memory / f"{day}.md").write_bytes(b"x" * 500)
    assert [(found.subject, found.state) for found in memory_file_findings(tmp_path)] == [
        ("long-term memory", "1 file, 1.5 kB"),
        ("day notes", "2 files, 1.0 kB"),
        ("transcripts", "none yet"),
        ("readers", "no other user of this machine can read the memory"),
    ]
