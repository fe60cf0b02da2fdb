"""Setting keys of a configuration file without changing anything else."""

import json
import os
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.config.reading import load_config
from nanobot_memory_plugins.core.config.writing import set_plugin_options
from nanobot_memory_plugins.core.errors import ConfigurationError

OFF = {"recall": {"enabled": False}}

NANOBOT = """{
    "agents": {"defaults": {"model": "caf\\u00e9", "temperature": 1.0e-1}},
    "channels": {
        "telegram": { "token":"t", "on" : true },
        "memoryPlugins": {
            "recall": {
                "recallTopK": 4
            }
        }
    },
    "unknown": [1,2,  3]
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "config.json"
    path.write_text(NANOBOT)
    path.chmod(0o640)
    return path


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"channels": ', "not JSON"),
        (b"[1]", "should be an object"),
        (b"\xff{}", "not JSON"),
        (b'{"channels": {"memoryPlugins": "yes"}}', "channels.memoryPlugins: it should be an object"),
        (b'{"channels": 3}', "channels: it should be an object"),
    ],
)
def test_a_file_that_cannot_be_changed_is_refused_with_cause_and_hint(tmp_path: Path, content: bytes, said: str):
    file = tmp_path / "config.json"
    file.write_bytes(content)
    with pytest.raises(ConfigurationError, match=said) as caught:
        set_plugin_options(file, OFF)
    assert caught.value.hint
    assert file.read_bytes() == content
    assert not file.with_name("config.json.bak").exists()


def test_a_folder_that_cannot_be_written_is_an_error(file: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(ConfigurationError, match=r"Permission denied"):
        set_plugin_options(file, OFF)
    assert file.read_text() == NANOBOT


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"agents": {}}, {"agents": {}, "channels": {"memoryPlugins": OFF}}),
        ({"memory_plugins": {}}, {"memory_plugins": OFF}),
        ({}, {"memoryPlugins": OFF}),
        ({"memoryPlugins": {"recall": True}}, {"memoryPlugins": {"recall": False}}),
        ({"memory": {"recallTopK": 3}}, {"memory": {"recallTopK": 3}, "memoryPlugins": OFF}),
    ],
)
def test_options_are_set_in_the_section_that_the_file_has(tmp_path: Path, before: object, after: object):
    file = tmp_path / "config.json"
    file.write_text(json.dumps(before))
    set_plugin_options(file, OFF)
    assert json.loads(file.read_text()) == after
    config = load_config(file, environment={})
    assert not config.enabled("recall")
    assert config.problems == ()
