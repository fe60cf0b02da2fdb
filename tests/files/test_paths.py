from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.files.paths import MemoryPaths, session_file_name
from tests.support.examples import examples

KEYS = st.lists(
    st.sampled_from(
        ["cli", "CLI", ":", "/", "\\", "..", ".", " ", "con", "nul", "\0", "\n", "微信", "é", "e\u0301", "-"]
    )
    | st.text(max_size=5),
    max_size=8,
).map("".join)  # fmt: skip


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(KEYS, min_size=2, max_size=6, unique=True))
def test_distinct_keys_have_distinct_safe_names(keys: list[str]) -> None:
    names = [session_file_name(key) for key in keys]
    assert len({name.casefold() for name in names}) == len(keys)
    for name in names:
        assert name.endswith(".jsonl")
        assert len(name.encode()) <= 255
        assert not set(name) & set('/\\:*?"<>|\0') - {"."}
        stem = name.removesuffix(".jsonl")
        assert stem
        assert "." not in stem
        assert stem.isprintable()
        assert (Path("/a") / name).resolve().parent == Path("/a")


@pytest.mark.parametrize(
    "key",
    [
        "../../x",
        "/etc/passwd",
        "C:\\x",
        "a\0b",
        "k" * 300,
        "微" * 300,
        "con",
        "LPT1",
        "",
        "..",
        "~root",
        "-x",
    ],
)
def test_a_hostile_key_stays_in_the_folder(key: str, tmp_path: Path) -> None:
    path = MemoryPaths.of(tmp_path).transcript(key)
    assert path.resolve().parent == tmp_path / "memory" / "sessions"
    assert path.name != f"{key}.jsonl"


def test_a_plain_key_is_its_own_name_and_others_stay_readable() -> None:
    assert session_file_name("heartbeat_2") == "heartbeat_2.jsonl"
    assert session_file_name("cli:direct").startswith("cli_direct-")
    assert session_file_name("微信:群").startswith("微信_群-")
    hashed = session_file_name("cli:direct").removesuffix(".jsonl")
    assert session_file_name(hashed) != f"{hashed}.jsonl"
