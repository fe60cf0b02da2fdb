"""The command ``config``, and the problems of a configuration in other commands."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.kit.command import Done, option, run
from tests.behaviour.kit.life import Life


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "options.json"
    write(path, {"recall": {"recall_timeout": 0.5}, "storage": {"embeddingProvider": "none"}})
    return path


def write(path: Path, options: object) -> None:
    path.write_text(json.dumps({"memoryPlugins": options}), encoding="utf-8")


def config(file: Path, *words: object, status: int = 0) -> Any:
    done = run("config", *words, "--config", file, "--json")
    assert done.status == status, done
    return done.json


def test_an_option_is_shown_in_either_spelling(file: Path):
    everything = json.dumps(config(file, "show"))
    for name in ("recallTimeout", "embeddingProvider"):
        assert name in everything
    for name in ("recall.recallTimeout", "recall.recall_timeout"):
        assert option(name, config=file) == 0.5
    explained = run("config", "show", "recall.recallTimeout", "--config", file)
    assert (explained.status, "0.5" in explained.out, str(file) in explained.text.replace(" ", "")) == (0, True, True)
    assert "recallTopK" in run("config", "show", "recall", "--config", file).out


def test_a_configuration_that_cannot_be_read_is_one_problem_in_every_command(tmp_path: Path):
    broken = tmp_path / "home" / ".nanobot" / "config.json"
    broken.parent.mkdir(parents=True)
    broken.write_text('{"agents": ', encoding="utf-8")
    for words in (["search", "tea"], ["why", "tea"], ["stats"], ["index"], ["entries", "list"], ["export"]):
        done = run(*words)
        assert (done.status, "config.json" in done.text, "defaults" in done.text) == (2, True, False), words
    doctor = run("doctor")
    assert (doctor.status, "config.json: the file is not JSON" in doctor.out) == (1, True)
    refused = run("config", "set", "recall.recallTopK", "3")
    assert (refused.status, "defaults" in refused.text, refused.text.count("not JSON")) == (2, False, 1)
    assert broken.read_text(encoding="utf-8") == '{"agents": '
    assert [path.name for path in broken.parent.iterdir()] == ["config.json"]


def test_the_error_for_a_file_that_cannot_be_changed_is_in_the_requested_language(file: Path):
    file.with_name(f"{file.name}.bak").mkdir()
    done = run("--lang", "zh", "config", "set", "recall.recallTopK", "3", config=file)
    assert (done.status, f"{file} 改不了：" in done.err, "cannot be" in done.err) == (2, True, False), done


def test_doctor_reports_each_problem_once(file: Path, life: Life):
    life.workspace.mkdir()
    write(file, {"core": {"languag": "zh"}, "recall": {"recallTopK": "many"}, "storage": {"embeddingProvider": "none"}})
    done = run("doctor", workspace=life.workspace, config=file)
    assert [done.text.count(name) for name in ("core.languag:", "recall.recallTopK:")] == [1, 1], done.text


def test_an_unknown_option_gets_the_nearest_name_as_a_hint(file: Path):
    for name, nearest in (("recall.recalTimeout", "recallTimeout"), ("storge", "storage")):
        told = config(file, "show", name, status=1)
        assert (told["ok"], nearest in json.dumps(told)) == (False, True)


def test_no_command_prints_a_secret(file: Path, life: Life):
    life.memory.mkdir(parents=True)
    key = "sk-proj-aB3dE5gH7jK9mN1pQ4rS6tU8vW2xY0zC5fG7hJ9k"
    write(file, {"storage": {"embeddingApiKey": key, "embeddingProvider": "none"}})
    for words in (["config", "show"], ["config", "show", "storage.embeddingApiKey"]):
        for more in ([], ["--json"]):
            assert key not in run(*words, *more, "--config", file).text
    for words in (["doctor", "--all"], ["plugins"]):
        assert key not in run(*words, workspace=life.workspace, config=file).text


def test_a_bad_finding_of_doctor_is_status_1_with_a_hint(life: Life):
    life.workspace.mkdir()
    (life.workspace / "memory").write_text("no folder", encoding="utf-8")
    done: Done = life.command("doctor", "--json")
    bad = [one for one in done.json["findings"] if one["health"] == "bad"]
    assert (done.status, bool(bad), [one for one in bad if not one["hint"]]) == (1, True, [])
    assert (life.workspace / "memory").read_text(encoding="utf-8") == "no folder"
