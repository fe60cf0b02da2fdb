"""Finding the configuration file, and the problems of a file that cannot be used."""

import json
import os
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.config.reading import load_config


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    (home / ".nanobot").mkdir(parents=True)
    (here := tmp_path / "here").mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.chdir(here)
    return tmp_path


def section(seconds: float) -> dict[str, object]:
    return {"memoryPlugins": {"core": {"messageLimit": seconds}}}


def limit(**arguments: object) -> float:
    config = load_config(**{"environment": {}, **arguments})
    assert config.problems == ()
    return config.core.message_limit


def test_files_are_searched_in_order(places: Path):
    assert limit() == 0.5
    (places / "home/.nanobot/config.json").write_text(json.dumps({"agents": {}, "channels": section(1)}))
    assert limit() == 1
    (places / "here" / "config.json").write_text(json.dumps(section(2)))
    assert limit() == 2
    (places / "named.json").write_text(json.dumps(section(3)))
    variable = {"NANOBOT_MEMORY_CONFIG": str(places / "named.json")}
    assert limit(environment=variable) == 3
    (places / "given.json").write_text(json.dumps(section(4)))
    assert limit(path=places / "given.json", environment=variable) == 4


def test_a_config_json_of_another_program_is_skipped(places: Path):
    (places / "home" / ".nanobot" / "config.json").write_text(json.dumps({"channels": section(1)}))
    for content in ('{"compilerOptions": {}}', "// not JSON", '{"memory": {"heap": "2g"}}', "[]"):
        (places / "here" / "config.json").write_text(content)
        assert limit() == 1


def test_a_file_that_cannot_be_read_is_reported_with_the_cause(places: Path):
    here, named = places / "here" / "config.json", places / "named.json"
    here.write_text('{"memoryPlugins": {"core": {"share": "session",}}}')
    (problem,) = load_config(environment={}).problems
    assert (problem.source, "not JSON" in problem.message, problem.is_unread) == (str(here), True, True)
    named.write_text(json.dumps(section(7)).replace("7", "7" * 5_000))
    assert "digits" in load_config(named).problems[0].message
    here.write_text("[]")
    (places / "home" / ".nanobot" / "config.json").write_text("[]")
    (problem,) = load_config(environment={}).problems
    assert (".nanobot" in problem.source, "Correct it;" in problem.finding.hint) == (True, True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_named_pipe_does_not_block(places: Path):
    os.mkfifo(places / "pipe")
    assert "not a file" in load_config(places / "pipe").problems[0].message
