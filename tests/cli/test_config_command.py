"""``config show|set``: the current values, where they come from, and which values are allowed."""

import json
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line
from release.pages.configuration import MODELS


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("NANOBOT_MEMORY_CONFIG", "NANOBOT_MEMORY_PLUGINS"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "given.json"
    sections = {
        "core": {"share": "session", "languageModel": {"attempts": 5}},
        "recall": {"recallTopK": 4, "heavyTopK": "many"},
        "flush": {"enabled": False},
        "storage": {"embedding_provider": "none"},
    }
    path.write_text(json.dumps({"memoryPlugins": sections, "memory": {"summaryMinTurns": 7}}))
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = run_command_line(["config", *arguments])
    output = capsys.readouterr()
    return code, output.out + output.err


def rows(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, Any]]:
    code, output = run(capsys, *arguments, "--json")
    assert code == 0
    (line,) = [line for line in output.splitlines() if line.startswith("{")]
    return {row["key"]: row for row in json.loads(line)["options"]}


def test_every_documented_option_is_listed_with_its_allowed_values(file: Path, capsys):
    found = rows(capsys, "show", "--all", "-c", str(file))
    assert {key.partition(".")[0] for key in found} >= MODELS.keys()
    assert found["recall.heavyTopK"]["value"] == found["recall.heavyTopK"]["default"], "a wrong value is not used"
    ours = [row for key, row in found.items() if key.partition(".")[0] in MODELS]
    assert all(row["allowed"] and row["allowed"] != "anything" for row in ours)
    assert all(row["description"] for row in ours)
    for verb in ("get", "explain"):
        assert rows(capsys, verb, "recall.heavyTopK", "-c", str(file)).keys() == {"recall.heavyTopK"}


def test_set_keeps_the_spelling_and_everything_else_in_the_file(file: Path, capsys):
    before = json.loads(file.read_text())
    file.chmod(0o640)
    for key, value in (("storage.embeddingProvider", "openai"), ("flush.enabled", "true"), ("recall.heavyTopK", "9")):
        assert run(capsys, "set", key, value, "-c", str(file))[0] == 0
    after = json.loads(file.read_text())
    assert after["memoryPlugins"]["storage"] == {"embedding_provider": "openai"}
    assert after["memoryPlugins"]["flush"] == {"enabled": True}
    assert after["memoryPlugins"]["recall"] == {"recallTopK": 4, "heavyTopK": 9}
    assert (after["memory"], after["memoryPlugins"]["core"]) == (before["memory"], before["memoryPlugins"]["core"])
    assert list(after) == list(before)
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_wrong_value_or_name_is_refused_with_what_is_allowed(file: Path, capsys):
    before = file.read_bytes()
    for words, said in (
        (("recall.recall_top_k", "many"), "Allowed: a whole number from 1"),
        (("recall.recalTopK", "-1"), "Did you mean recall.recallTopK?"),
        (("recall", "3"), "more than one option"),
        (("core.share", "everybody"), '"auto", "agent"'),
        (("core.people", '{"a": ["x"'), "which is no JSON"),
    ):
        code, output = run(capsys, "set", *words, "-c", str(file))
        assert (code, said in " ".join(output.split())) == (1, True), (words, output)
        assert file.read_bytes() == before
    file.unlink()
    assert "There is no configuration file" in run(capsys, "set", "core.share", "session")[1]


def test_a_plugin_that_cannot_be_imported_can_be_disabled(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
):
    info = tmp_path / "site" / "broken-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[nanobot_memory_plugins]\nbroken = no_such_module\n")
    monkeypatch.syspath_prepend(str(info.parent))
    file.write_text(json.dumps({"memoryPlugins": {"broken": {"size": 3}, "recall": {"recallTopK": 4}}}))
    status, output = run(capsys, "show", "recall.recallTopK", "-c", str(file))
    assert (status, "recall.recallTopK = 4" in output) == (0, True)
    assert "memoryPlugins.broken.size: ModuleNotFoundError" in output
    assert "broken.enabled = false" in run(capsys, "set", "broken.enabled", "no", "-c", str(file))[1]
    assert json.loads(file.read_text())["memoryPlugins"]["broken"] == {"size": 3, "enabled": "no"}
