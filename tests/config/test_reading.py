"""Configuration files: where they may be, and what is wrong with them."""

import json
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.config import MemoryConfig, load_config


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    (home / ".nanobot").mkdir(parents=True)
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.chdir(here)
    return tmp_path


def section(seconds: float) -> dict[str, object]:
    return {"memoryPlugins": {"core": {"messageLimit": seconds}}}


def limit(**arguments: object) -> float:
    config, problems = load_config(**{"environment": {}, **arguments})
    assert problems == []
    return config.core.message_limit


def problem_of(content: str | bytes, tmp_path: Path) -> str:
    file = tmp_path / "given.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    config, (problem,) = load_config(file, environment={})
    assert config.core == MemoryConfig().core
    assert problem.source == str(file)
    return problem.message


def test_the_places_are_searched_in_order(places: Path):
    assert limit() == 0.5
    nanobot = {"agents": {}, "channels": section(1)}
    (places / "home" / ".nanobot" / "config.json").write_text(json.dumps(nanobot))
    assert limit() == 1
    (places / "here" / "config.json").write_text(json.dumps(section(2)))
    assert limit() == 2
    (places / "named.json").write_text(json.dumps(section(3)))
    variable = {"NANOBOT_MEMORY_CONFIG": str(places / "named.json")}
    assert limit(environment=variable) == 3
    (places / "given.json").write_text(json.dumps(section(4)))
    assert limit(path=places / "given.json", environment=variable) == 4


def test_a_config_json_about_something_else_is_passed_over(places: Path):
    (places / "home" / ".nanobot" / "config.json").write_text(json.dumps({"channels": section(1)}))
    for content in ('{"compilerOptions": {}}', "// not JSON", '{"memory": {"heap": "2g"}}', "[]"):
        (places / "here" / "config.json").write_text(content)
        assert limit() == 1


def test_a_broken_file_that_speaks_of_memory_is_reported(places: Path):
    (places / "here" / "config.json").write_text('{"memoryPlugins": {')
    _, (problem,) = load_config(environment={})
    assert "not JSON" in problem.message


@pytest.mark.accept("PL-03")
def test_a_named_file_that_is_missing_is_reported_and_the_defaults_hold(tmp_path: Path):
    config, (problem,) = load_config(tmp_path / "nowhere.json", environment={})
    assert config.core == MemoryConfig().core
    assert "there is no such file" in problem.message
    assert "nowhere.json" in problem.message


def test_a_file_that_is_not_json_says_where(tmp_path: Path):
    assert "at line 2, column 3" in problem_of("{\n  memoryPlugins: {}\n}", tmp_path)


def test_a_file_that_is_not_utf8_says_so(tmp_path: Path):
    assert "not UTF-8" in problem_of('{"memoryPlugins": {}}'.encode("utf-16"), tmp_path)


def test_a_folder_is_no_file(tmp_path: Path):
    _, (problem,) = load_config(tmp_path, environment={})
    assert "this is not a file" in problem.message


def test_a_named_file_without_the_section_says_where_it_belongs(tmp_path: Path):
    assert '"memoryPlugins"' in problem_of('{"logging": {}}', tmp_path)


def test_nanobots_own_file_need_not_speak_of_memory_wherever_it_is(tmp_path: Path):
    file = tmp_path / "given.json"
    file.write_text(json.dumps({"agents": {}, "channels": {"telegram": {"enabled": True}, "plugins": {}}}))
    config, problems = load_config(file, environment={})
    assert problems == []
    assert (config.core, config.source, config.prefix) == (MemoryConfig().core, str(file), "channels.memoryPlugins")


@pytest.mark.parametrize("name", ["memoryPlugin", "memory-plugins", "MemoryPlugins", "memoryPlugns"])
def test_a_section_that_is_misspelt_is_named_in_a_file_that_was_given_and_in_nanobots_own(name: str, places: Path):
    misspelt = json.dumps({"agents": {}, "channels": {name: {"core": {"messageLimit": 9}}}})
    assert f"channels.{name} is misspelt" in problem_of(misspelt, places)
    (places / "home" / ".nanobot" / "config.json").write_text(misspelt)
    config, (problem,) = load_config(environment={})
    assert f"channels.{name} is misspelt" in problem.message
    assert config.core == MemoryConfig().core


@pytest.mark.parametrize("content", ["[1]", "3", '"text"', "null"])
def test_a_file_that_holds_no_object_says_so(content: str, tmp_path: Path):
    assert "an object is expected" in problem_of(content, tmp_path)


def test_a_file_nested_beyond_measure_is_reported(tmp_path: Path):
    assert "nested too deeply" in problem_of("[" * 100_000, tmp_path)


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path):
    file = tmp_path / "given.json"
    file.write_bytes(json.dumps(section(7)).encode("utf-8-sig"))
    assert limit(path=file) == 7


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 10_000, "-1"])
def test_impossible_numbers_are_named_and_not_used(number: str, tmp_path: Path):
    message = problem_of(f'{{"memoryPlugins": {{"core": {{"messageLimit": {number}}}}}}}', tmp_path)
    assert message.startswith("memoryPlugins.core.messageLimit: ")


def test_a_key_that_stands_there_twice_is_named(tmp_path: Path):
    file = tmp_path / "given.json"
    file.write_text('{"memoryPlugins": {"core": {"idleSeconds": 5, "idleSeconds": 6}}}')
    config, (problem,) = load_config(file, environment={})
    assert config.core.idle_seconds == 6
    assert problem.message.startswith("memoryPlugins.core.idleSeconds: this key stands there more than once")


def test_the_section_alone_is_a_file_too(tmp_path: Path):
    file = tmp_path / "given.json"
    file.write_text('{"core": {"messageLimit": 3}, "recall": {"enabled": false}}')
    config, problems = load_config(file, environment={})
    assert problems == []
    assert config.core.message_limit == 3
    assert not config.enabled("recall")
