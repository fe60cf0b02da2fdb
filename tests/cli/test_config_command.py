"""``config show|get|explain``: the values that hold, where they come from, and what may stand there."""

import json
from pathlib import Path
from typing import Any

import pytest

from docs.make_configuration import MODELS
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.config.effective import allowed_by, canonical


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("NANOBOT_MEMORY_CONFIG", "NANOBOT_MEMORY_PLUGINS"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "given.json"
    sections = {
        "core": {"share": "user", "languageModel": {"attempts": 5}},
        "recall": {"recallTopK": 4, "heavyTopK": "many"},
        "flush": {"enabled": False},
        "storage": {"embedding_provider": "none"},
    }
    path.write_text(json.dumps({"memoryPlugins": sections, "memory": {"summaryMinTurns": 7}}))
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = run_command_line(["config", *arguments])
    told = capsys.readouterr()
    return code, told.out + told.err


def rows(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, Any]]:
    code, told = run(capsys, *arguments, "--json")
    assert code == 0
    (line,) = [line for line in told.splitlines() if line.startswith("{")]
    return {row["key"]: row for row in json.loads(line)["options"]}


def test_what_the_file_sets_is_shown_with_where_and_what_it_would_be(file: Path, capsys):
    found = rows(capsys, "show", "-c", str(file))
    assert {key: row["value"] for key, row in found.items()} == {
        "core.share": "user",
        "core.languageModel.attempts": 5,
        "recall.recallTopK": 4,
        "flush.enabled": False,
        "storage.embeddingProvider": "none",
        "summary.summaryMinTurns": 7,
    }
    assert found["core.share"]["set_by"] == "memoryPlugins.core.share"
    assert found["summary.summaryMinTurns"]["set_by"] == "memory.summaryMinTurns"
    assert found["recall.recallTopK"]["default"] == 8
    code, told = run(capsys, "show", "-c", str(file))
    assert code == 0
    assert 'core.share = "user"  (memoryPlugins.core.share; default "auto")' in told
    assert "memoryPlugins.recall.heavyTopK: " in told, "what is wrong is said"


def test_every_option_of_the_documents_page_is_there_with_its_allowed_values(file: Path, capsys):
    found = rows(capsys, "show", "--all", "-c", str(file))
    assert {key.partition(".")[0] for key in found} >= MODELS.keys()
    assert found["recall.heavyTopK"]["value"] == found["recall.heavyTopK"]["default"], "a wrong value does not hold"
    ours = [row for key, row in found.items() if key.partition(".")[0] in MODELS]
    assert all(row["allowed"] and row["allowed"] != "anything" for row in ours)
    assert all(row["description"] for row in ours)


@pytest.mark.parametrize(
    "key",
    [
        "recall.recallTopK",
        "recall.recall_top_k",
        "memoryPlugins.recall.recallTopK",
        "channels.memoryPlugins.recall.recallTopK",
        "memory.recallTopK",
        "memory.retrieval.limit",
    ],
)
def test_an_option_is_found_by_each_of_its_names(key: str, file: Path, capsys):
    assert canonical(key) == "recall.recallTopK"
    assert run(capsys, "get", key, "-c", str(file))[1].splitlines()[-1] == "4"


def test_one_is_explained_with_a_line_that_sets_it(file: Path, capsys):
    code, told = run(capsys, "explain", "core.share", "-c", str(file))
    assert code == 0
    assert f'core.share = "user"  (set by memoryPlugins.core.share in {file})' in told
    assert 'allowed: one of "auto", "agent", "user", "channel", "session"; default: "auto"' in " ".join(told.split())
    line = told.splitlines()[-1]
    file.write_text(f"{{{line}}}")
    assert rows(capsys, "show", "-c", str(file))["core.share"]["value"] == "auto"


def test_a_wrong_value_is_named_where_it_is_explained(file: Path, capsys):
    _, told = run(capsys, "explain", "recall.heavyTopK", "-c", str(file))
    assert "(the default)" in told
    assert "memoryPlugins.recall.heavyTopK: " in told
    assert "allowed: a whole number from 1 to" in told


def test_an_unknown_one_is_answered_with_the_nearest(file: Path, capsys):
    code, told = run(capsys, "get", "recal.recallTopK", "-c", str(file))
    assert code == 1
    assert "Did you mean recall.recallTopK?" in told
    code, told = run(capsys, "explain", "core.shares", "-c", str(file))
    assert code == 1
    assert "Did you mean core.share?" in told
    _, told = run(capsys, "explain", "recal.topk", "-c", str(file))
    assert "Did you mean recall.recallTopK?" in told
    _, told = run(capsys, "get", "foo", "-c", str(file))
    assert "Did you mean" not in told
    assert "`nanobot-memory config show --all` lists them." in told


def test_who_would_set_an_option_is_told_how(file: Path, capsys):
    before = file.read_bytes() if file.exists() else None
    code, told = run(capsys, "set", "recall.recall_top_k", "9")
    assert code == 1
    assert "Options are set in the configuration file" in told
    assert "`nanobot-memory config explain recall.recallTopK` shows what to write, and where." in " ".join(told.split())
    assert "to set it, in" in run(capsys, "explain", "recall.recallTopK")[1]
    assert "Did you mean recall.recallTopK?" in run(capsys, "set", "recall.recalTopK", "-1")[1]
    assert (file.read_bytes() if file.exists() else None) == before


def test_a_secret_is_not_shown(file: Path, capsys):
    secret = "sk-proj-" + "Zx9Qw3Er7Ty1Ui5Op2As4Df6Gh8Jk0Lz"
    file.write_text(json.dumps({"memoryPlugins": {"core": {"wishes": f"the key is {secret}"}}}))
    for arguments in (["show"], ["get", "core.wishes"], ["explain", "core"]):
        code, told = run(capsys, *arguments, "-c", str(file))
        assert code == 0
        assert secret not in told


def test_what_a_schema_allows_is_said_in_words():
    assert allowed_by({"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "null"}]}, {}) == (
        "a number above 0 or null"
    )
    assert allowed_by({"$ref": "#/$defs/Colour"}, {"Colour": {"enum": ["red", "blue"]}}) == 'one of "red", "blue"'
    assert allowed_by({"type": "array", "items": {"type": "string", "maxLength": 1_000}}, {}) == (
        "a list, each text of at most 1,000 characters"
    )


def test_a_configuration_that_says_nothing_of_the_memory_is_named(file: Path, tmp_path: Path, capsys):
    assert "none; everything has its default" in run(capsys, "show")[1]
    own = tmp_path / ".nanobot" / "config.json"
    own.parent.mkdir()
    own.write_text('{"agents": {}}')
    told = " ".join(run(capsys, "show")[1].split())
    assert f"Configuration: {own}, which sets nothing of the memory; everything has its default" in told
    assert json.loads(run(capsys, "show", "--json")[1])["file"] == str(own)
    own.write_text('{"channels": {"memoryPlugins": {"core": {"share": "user"}}}}')
    assert f"Configuration: {own}\n" in run(capsys, "show")[1]


def test_a_file_that_cannot_be_read_is_said_by_each_command(file: Path, capsys):
    file.write_text('{"memoryPlugins": {"recall": {"recallTopK": 4,}}}', encoding="utf-8")
    for arguments in (["show"], ["get", "recall.recallTopK"], ["explain", "recall.recallTopK"], ["explain", "recall"]):
        for form in ([], ["--json"]):
            _, told = run(capsys, *arguments, *form, "-c", str(file))
            assert "the file is not JSON" in " ".join(told.split()), arguments


def test_get_says_what_is_wrong_with_the_value_that_it_does_not_print(file: Path, capsys):
    code, told = run(capsys, "get", "recall.heavyTopK", "-c", str(file))
    assert code == 0
    assert "recall.heavyTopK" in told
    assert "the default 8 is used" in " ".join(told.split())


def test_a_wrong_value_is_said_once_where_it_is_explained(file: Path, capsys):
    _, told = run(capsys, "explain", "recall.heavyTopK", "-c", str(file))
    assert " ".join(told.split()).count("the default 8 is used") == 1


def test_what_is_wrong_elsewhere_is_not_said_of_an_option_and_what_is_wrong_above_it_is(file: Path, capsys):
    assert run(capsys, "get", "core.share", "-c", str(file)) == (0, '"user"\n')
    file.write_text(json.dumps({"memoryPlugins": {"recall": "much", "core": {"share": "all"}}}), encoding="utf-8")
    for command in ("get", "explain"):
        _, told = run(capsys, command, "recall.recallTopK", "-c", str(file))
        assert "memoryPlugins.recall: an object or a boolean is expected" in " ".join(told.split())
        assert "core.share" not in told
