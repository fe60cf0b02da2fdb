"""Trimming bootstrap files as a host sees it, with plugins that are found through entry points."""

import os

from nanobot_memory_plugins.core import MemoryHost

FILES = {"AGENTS.md": "Be kind. " * 40, "USER.md": "用户喜欢简短的回答。" * 40}

HALVING = """
    from nanobot_memory_plugins.core import hookimpl

    calls = []

    @hookimpl
    def trim_bootstrap(files, overhead):
        calls.append(dict(overhead))
        return {name: text[: len(text) // 2] for name, text in files.items() if name != "SECRET.md"}
"""


async def test_a_plugin_shortens_what_goes_into_the_prompt(third_party, tmp_path):
    third_party("halving", HALVING)
    async with MemoryHost(tmp_path / "w") as memory:
        texts = memory.trim_bootstrap({**FILES, "SECRET.md": "xyz", "EMPTY.md": ""})
    assert texts == {**{name: text[: len(text) // 2] for name, text in FILES.items()}, "EMPTY.md": ""}


async def test_files_are_read_and_what_cannot_be_read_is_left_out(third_party, tmp_path, warnings):
    (tmp_path / "CRLF.md").write_bytes("一\r\ntwo\r\n".encode())
    (tmp_path / "latin.md").write_bytes("caf\xe9".encode("latin-1"))
    (tmp_path / "folder.md").mkdir()
    locked = tmp_path / "locked.md"
    locked.write_text("x", encoding="utf-8")
    locked.chmod(0)
    files = {
        "CRLF.md": tmp_path / "CRLF.md",
        "latin.md": tmp_path / "latin.md",
        "folder.md": tmp_path / "folder.md",
        "missing.md": tmp_path / "missing.md",
        "impossible.md": tmp_path / "a\0b",
        "none.md": None,
        "number.md": 7,
        "bytes.md": b"\xe4\xb8\x80",
        "junk.md": b"\xff\xfe",
    }
    async with MemoryHost(tmp_path / "w") as memory:
        for _ in range(3):
            texts = memory.trim_bootstrap(files)
            assert dict(texts) == {"CRLF.md": "一\r\ntwo\r\n", "bytes.md": "一"}
        if os.geteuid():  # the superuser may read anything
            assert dict(memory.trim_bootstrap({"locked.md": locked})) == {}
    warned = [line.split()[2] for line in warnings if "cannot be read" in line]
    assert warned[:4] == ["latin.md", "folder.md", "number.md", "junk.md"]
    assert "missing.md" not in warned
