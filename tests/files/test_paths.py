from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.files.paths import session_file_name
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


def test_a_plain_key_is_its_own_name_and_others_stay_readable() -> None:
    assert session_file_name("heartbeat_2") == "heartbeat_2.jsonl"
    assert session_file_name("cli:direct").startswith("cli_direct-")
    assert session_file_name("微信:群").startswith("微信_群-")
    hashed = session_file_name("cli:direct").removesuffix(".jsonl")
    assert session_file_name(hashed) != f"{hashed}.jsonl"
