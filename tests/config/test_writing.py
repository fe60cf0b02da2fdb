"""Writing a configuration file: the keys that are set, and nothing else."""

import json
import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.config import load_config, set_config_keys, set_plugin_options, writing
from nanobot_memory_plugins.core.config.json_edit import with_keys
from nanobot_memory_plugins.core.errors import ConfigurationError
from tests.support.examples import examples

PLACE = ("channels", "memoryPlugins")
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


def test_a_key_is_set_and_every_other_character_stays(file: Path):
    change = set_config_keys(file, PLACE, OFF)
    assert change.changed
    wanted = NANOBOT.replace('"recallTopK": 4', '"recallTopK": 4,\n                "enabled": false')
    assert file.read_text() == wanted == change.after
    assert (file.parent / "config.json.bak").read_text() == NANOBOT == change.before
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    set_config_keys(file, PLACE, {"recall": {"enabled": True}})
    assert file.read_text() == wanted.replace("false", "true")


def test_missing_objects_are_made_in_the_indentation_of_the_file(tmp_path: Path):
    file = tmp_path / "config.json"
    file.write_bytes(b'{\r\n\t"channels": {\r\n\t\t"x": 1\r\n\t}\r\n}')
    set_config_keys(file, PLACE, {"flush": {"enabled": True, "words": []}})
    assert file.read_bytes() == (
        b'{\r\n\t"channels": {\r\n\t\t"x": 1,\r\n\t\t"memoryPlugins": {\r\n\t\t\t"flush": {\r\n'
        b'\t\t\t\t"enabled": true\r\n\t\t\t,"words": []}\r\n\t\t}\r\n\t}\r\n}'
    ).replace(b'true\r\n\t\t\t,"words": []', b'true,\r\n\t\t\t\t"words": []\r\n\t\t\t')


def test_a_file_on_one_line_stays_on_one_line(tmp_path: Path):
    assert with_keys('{"channels":{}}', PLACE, OFF) == '{"channels":{"memoryPlugins": {"recall": {"enabled": false}}}}'
    assert with_keys('{"a":1}', ("b",), {"c": [1]}) == '{"a":1, "b": {"c": [1]}}'
    assert with_keys("{}", ("b",), {"c": 1}) == '{\n  "b": {\n    "c": 1\n  }\n}'


def test_nothing_is_written_when_it_stands_there_already(file: Path):
    set_config_keys(file, PLACE, OFF)
    before = os.stat(file).st_mtime_ns, os.stat(file).st_ino
    assert not set_config_keys(file, PLACE, OFF).changed
    assert (os.stat(file).st_mtime_ns, os.stat(file).st_ino) == before


def test_a_dry_run_shows_the_text_and_writes_nothing(file: Path):
    change = set_config_keys(file, PLACE, OFF, dry_run=True)
    assert json.loads(change.after)["channels"]["memoryPlugins"]["recall"] == {"recallTopK": 4, "enabled": False}
    assert file.read_text() == NANOBOT
    assert os.listdir(file.parent) == ["config.json"]


def test_the_last_of_two_equal_keys_is_the_one_that_is_set():
    assert with_keys('{"a": 1, "a": 2}', (), {"a": 3}) == '{"a": 1, "a": 3}'


def test_true_and_one_are_not_the_same():
    assert with_keys('{"a": 1}', (), {"a": True}) == '{"a": true}'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"channels": ', "not JSON"),
        (b"[1]", "an object is expected"),
        (b"\xff{}", "not UTF-8"),
        (b'{"channels": {"memoryPlugins": "yes"}}', "channels.memoryPlugins: an object is expected"),
        (b'{"channels": 3}', "channels: an object is expected"),
    ],
)
def test_what_cannot_be_changed_is_refused_with_cause_and_mend(tmp_path: Path, content: bytes, said: str):
    file = tmp_path / "config.json"
    file.write_bytes(content)
    with pytest.raises(ConfigurationError, match=said) as caught:
        set_config_keys(file, PLACE, OFF)
    assert caught.value.hint
    assert file.read_bytes() == content
    assert not file.with_name("config.json.bak").exists()


def test_a_missing_file_is_made_only_when_that_is_wanted(tmp_path: Path):
    file = tmp_path / "config.json"
    with pytest.raises(ConfigurationError, match="no such file"):
        set_config_keys(file, PLACE, OFF)
    assert set_config_keys(file, PLACE, OFF, create=True).backup is None
    assert json.loads(file.read_text()) == {"channels": {"memoryPlugins": OFF}}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(ConfigurationError, match="no folder"):
        set_config_keys(tmp_path / "none" / "config.json", PLACE, OFF, create=True)


def test_a_symbolic_link_is_followed_and_stays_one(tmp_path: Path, file: Path):
    link = tmp_path / "link.json"
    link.symlink_to(file)
    set_config_keys(link, PLACE, OFF)
    assert link.is_symlink()
    assert '"enabled": false' in file.read_text()


def test_a_byte_order_mark_stays(tmp_path: Path):
    file = tmp_path / "config.json"
    file.write_bytes(b"\xef\xbb\xbf{}")
    set_config_keys(file, PLACE, OFF)
    assert file.read_bytes().startswith(b"\xef\xbb\xbf{")


def test_a_folder_that_cannot_be_written_is_said(file: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(writing, "replace_file", refuse)
    with pytest.raises(ConfigurationError, match=r"Permission denied\. Make the file and its folder writable"):
        set_config_keys(file, PLACE, OFF)
    assert file.read_text() == NANOBOT


def test_many_writers_lose_nothing_of_each_other(file: Path):
    def write(number: int) -> None:
        set_config_keys(file, PLACE, {f"plugin{number}": {"enabled": False}})

    threads = [threading.Thread(target=write, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    section = json.loads(file.read_text())["channels"]["memoryPlugins"]
    assert section == {"recall": {"recallTopK": 4}, **{f"plugin{number}": {"enabled": False} for number in range(12)}}


def test_what_somebody_else_writes_meanwhile_is_kept(file: Path, monkeypatch: pytest.MonkeyPatch):
    change = writing._change

    def slow(path: Path, *arguments: object) -> object:
        if "new" not in json.loads(file.read_text()):
            file.write_text(NANOBOT.replace('"unknown"', '"new": 1,\n    "unknown"'))
        return change(path, *arguments)

    monkeypatch.setattr(writing, "_change", slow)
    set_config_keys(file, PLACE, OFF)
    written = json.loads(file.read_text())
    assert written["new"] == 1
    assert written["channels"]["memoryPlugins"]["recall"]["enabled"] is False


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"agents": {}}, {"agents": {}, "channels": {"memoryPlugins": OFF}}),
        ({"memory_plugins": {}}, {"memory_plugins": OFF}),
        ({}, {"memoryPlugins": OFF}),
        ({"recall": {"recallTopK": 3}}, {"recall": {"recallTopK": 3, "enabled": False}}),
        ({"memoryPlugins": {"recall": True}}, {"memoryPlugins": {"recall": False}}),
        ({"memory": {"recallTopK": 3}}, {"memory": {"recallTopK": 3}, "memoryPlugins": OFF}),
    ],
)
def test_a_plugin_is_switched_where_the_file_has_its_plugins(tmp_path: Path, before: object, after: object):
    file = tmp_path / "config.json"
    file.write_text(json.dumps(before))
    set_plugin_options(file, OFF)
    assert json.loads(file.read_text()) == after
    config, problems = load_config(file, environment={})
    assert not config.enabled("recall")
    assert problems == []


_NAMES = st.text('ab"\\{}[]:, \n中', max_size=4)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=examples(150), deadline=None)
@given(
    raw=st.dictionaries(_NAMES, _VALUES, max_size=4),
    key=_NAMES,
    value=_VALUES.filter(lambda value: not isinstance(value, dict)),
    indent=st.sampled_from([None, 0, 1, 2, 4, "\t"]),
    is_ascii=st.booleans(),
)
def test_every_json_text_keeps_all_other_values(
    raw: dict[str, object], key: str, value: object, indent: int | str | None, is_ascii: bool
):
    text = json.dumps(raw, indent=indent, ensure_ascii=is_ascii)
    assert json.loads(with_keys(text, (), {key: value})) == {**raw, key: value}
    fresh = "new" + key
    below = with_keys(text, (fresh, "deep"), {key: value})
    assert json.loads(below) == {**raw, fresh: {"deep": {key: value}}}
    assert with_keys(below, (fresh, "deep"), {key: value}) == below
