"""An option takes a value by the name that the output gives it, in whatever language there is a catalogue of."""

import json
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line


@pytest.fixture
def place(tmp_path: Path) -> list[str]:
    memory = tmp_path / "memory"
    memory.mkdir()
    (memory / "MEMORY.md").write_text("# Tea\n\nJo prefers oolong tea.\n", encoding="utf-8")
    (memory / "2026-02-16.md").write_text("# Tea\n\nThe tea shop was shut.\n", encoding="utf-8")
    config = tmp_path / "config.json"
    config.write_text('{"memoryPlugins": {"storage": {"embeddingProvider": "none"}}}', encoding="utf-8")
    return ["-w", str(tmp_path), "-c", str(config)]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("kind", "named"), [("note", "笔记"), ("note", "筆記"), ("long_term", "长期记忆")])
def test_a_kind_is_taken_by_its_name(place: list[str], capsys, language: str, kind: str, named: str):
    def found(value: str) -> list[str]:
        assert run_command_line(["--lang", language, "search", "tea", "--kind", value, *place, "--json"]) == 0
        return [hit["kind"] for hit in json.loads(capsys.readouterr().out.splitlines()[-1])["hits"]]

    assert found(named) == found(kind) == [kind]


def test_several_are_taken_and_a_category_too(place: list[str], capsys):
    several = ["--kind", "笔记", "--kind", "long_term", "--origin", "用户"]
    assert run_command_line(["search", "tea", *several, *place, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out.splitlines()[-1])["hits"]) == 2
    made = ["entries", "remember", "交税", "--category", "待办", *place[:2], "--json"]
    assert run_command_line(made) == 0
    assert run_command_line(["entries", "list", "--section", "有效", *place[:2], "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out.splitlines()[-1])["entries"]
    assert entry["category"] == "todo"


def test_the_error_names_both(place: list[str], capsys):
    assert run_command_line(["--lang", "zh", "search", "tea", "--kind", "茶", *place]) == 2
    said = "".join(capsys.readouterr().err.split()).replace("│", "")
    assert "'note'(笔记)" in said
    assert "'long_term'(长期记忆)" in said
    assert said.count("(") == 6  # each of the six
    assert run_command_line(["--lang", "zh", "entries", "remember", "x", "--category", "茶", *place[:2]]) == 2
    assert "'todo'(待办)" in "".join(capsys.readouterr().err.split()).replace("│", "")
    assert run_command_line(["--lang", "en", "search", "tea", "--kind", "茶", *place]) == 2
    assert "'note'," in capsys.readouterr().err
