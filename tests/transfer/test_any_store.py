"""Whatever another store contains, an import ends with a report, and repeating it changes nothing."""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.bridge.importing import read_nanobot
from nanobot_memory_plugins.core.errors import PluginError
from nanobot_memory_plugins.core.transfer import ImportedMessage, Importer, Item
from nanobot_memory_plugins.core.transfer.importing import import_from
from nanobot_memory_plugins.core.values import Origin
from tests.support.examples import examples
from tests.support.files_of import contents_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12) | st.just("\ud800\0"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
TIMES = JSON | st.sampled_from(
    ["2026-03-01T10:00:00", "9999-12-31T23:59:59-12:00", "0001-01-01", 10**30, -1, "2026-03"]
)
MESSAGE = st.fixed_dictionaries(
    {"role": JSON | st.sampled_from(["user", "assistant", "tool"]), "content": JSON, "timestamp": TIMES},
    optional={"_type": JSON, "name": JSON, "sender_id": JSON, "_runtime_context": JSON, "injected_event": JSON},
)
HEAD = st.fixed_dictionaries({"_type": st.just("metadata"), "key": JSON})
HISTORY = st.fixed_dictionaries({"timestamp": TIMES, "content": JSON, "session_key": JSON})
FEW = settings(max_examples=examples(40), deadline=None)


def lines(rows: list[object]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def check_import(importer: Importer, source: Path) -> None:
    workspace = source.parent / "mine"
    first = import_from(importer, "any", source, workspace, tools=True)
    if not first.taken:
        return
    before = contents_of(workspace / "memory")
    again = import_from(importer, "any", source, workspace, tools=True)
    assert (again.taken, again.known) == ({}, sum(first.taken.values()) + first.known)
    assert again.skipped == first.skipped
    assert contents_of(workspace / "memory") == before
    assert sum(first.written.values()) == sum(first.taken.values())


@FEW
@given(st.lists(MESSAGE | HEAD | JSON, min_size=1, max_size=6), st.lists(HISTORY | JSON, max_size=4))
def test_any_store_of_nanobot_is_imported_once(rows, history):
    with TemporaryDirectory() as folder:
        source = Path(folder) / "theirs"
        (source / "sessions").mkdir(parents=True)
        (source / "memory").mkdir()
        head = {"role": "user", "content": "first", "timestamp": "2026-03-01T10:00:00"}
        (source / "sessions" / "Y2xpOm9uZQ.jsonl").write_bytes(lines([head, *rows]))
        (source / "memory" / "history.jsonl").write_bytes(lines(history))
        check_import(read_nanobot, source)


def test_the_error_of_an_importer_that_fails_contains_no_secret(tmp_path: Path):
    def failing(source: Path, workspace: Path) -> Iterator[Item]:
        yield from ()
        raise KeyError("password=hunter2")

    source = tmp_path / "log.tides"
    source.write_text("2026-03-02 high at 11:40\n")
    with pytest.raises(PluginError, match=r"The importer tides failed with KeyError\. What it had read") as raised:
        import_from(failing, "tides", source, tmp_path / "mine")
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize("wrong", ["no item", ImportedMessage("tides", "user", "Low at 17:52.", "user", "log.tides")])  # type: ignore[arg-type]
def test_items_before_an_invalid_one_are_kept(tmp_path: Path, wrong: Item):
    def careless(source: Path, workspace: Path) -> Iterator[Item]:
        yield ImportedMessage("tides", "user", "High at 11:40.", Origin.USER, "log.tides")
        yield wrong

    with pytest.raises(PluginError, match=r"The importer tides failed with AttributeError\."):
        import_from(careless, "tides", tmp_path, tmp_path / "mine")
    (transcript,) = (tmp_path / "mine" / "memory" / "sessions").glob("*.jsonl")
    assert "High at 11:40." in transcript.read_text(encoding="utf-8")
