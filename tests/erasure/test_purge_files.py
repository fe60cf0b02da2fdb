"""Purged words: found in any spelling, removed from our files, reported in those of others."""

import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.erasure.cleaning import CleanedFile, clean_files, words_cleaner
from nanobot_memory_plugins.core.erasure.matching import ErasureMatcher, cut_out
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.values import Erasure, Trace
from tests.support.each import each
from tests.support.examples import examples
from tests.support.files_of import holders_of
from tests.support.indexed_workspace import entry, message

BOATS = "The user owns three boats"
TEA = "用户喜欢喝龙井茶"


@each(
    ("text", "left"),
    [
        (BOATS, "[…]"),
        ("Hello. The user owns three boats. Bye.", "Hello. […] Bye."),
        ("hello! THE  USER\nowns three boats, and a car? Yes.", "hello! […] Yes."),
        ("你好。我记得用戶喜歡喝 龍井茶，对吗？再见。", "你好。[…]再见。"),
        ("ｔｈｅ ｕｓｅｒ ｏｗｎｓ ｔｈｒｅｅ ｂｏａｔｓ", "[…]"),
        ("first line\nsecond: The user owns three boats now\nthird", "first line\nsecond: […]\nthird"),
        ("The user owns three boatsheds", None),
        ("The user owns three-boats", None),
        ("", None),
    ],
)
def test_the_sentence_with_the_words_is_cut_out(text: str, left: str | None):
    found = ErasureMatcher(words=[BOATS, TEA]).stretches(text)
    assert (cut_out(text, found), len(found)) == ((text, 0) if left is None else (left, 1))


@given(st.text(max_size=80), st.text(max_size=80), st.sampled_from([BOATS, TEA, "El niño vive en Málaga"]))
@settings(max_examples=examples(150))
def test_no_part_of_the_text_is_left_whatever_surrounds_it(before: str, after: str, text: str):
    matcher = ErasureMatcher([text])
    whole = f"{before}\n{text}\n{after}"
    found = matcher.stretches(whole)
    cleaned = cut_out(whole, found)
    assert (len(found), matcher.count(cleaned)) == (1, 0)
    assert text not in cleaned


def purge(workspace: Path, *, dry_run: bool = False, everywhere: bool = False) -> list[Trace]:
    cleaner = words_cleaner(Erasure(texts=(BOATS, TEA), everywhere=everywhere))
    return clean_files(MemoryPaths.of(workspace), cleaner, dry_run=dry_run)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "memory" / "sessions").mkdir(parents=True)
    return tmp_path


def write(workspace: Path, name: str, data: bytes | str) -> Path:
    path = workspace / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_our_files_are_cleaned_and_other_files_are_reported(workspace: Path):
    files = {
        "memory/sessions/s.jsonl": message(BOATS),
        "memory/sessions/s.jsonl.bak": message(BOATS),
        "memory/2026-02-16.md": entry(BOATS, "n1"),
        "memory/MEMORY.md": entry(BOATS, "n2") + f"\n# Mine\n\n{BOATS}\n".encode(),
        "memory/.MEMORY.md.0123456789abcdef.tmp": entry(BOATS, "n2"),
        "memory/history.jsonl": json.dumps({"content": BOATS}),
        "memory/project/plan.md": BOATS,
        "notes/2025-01-01.md": BOATS,
    }
    paths = [write(workspace, name, data) for name, data in files.items()]
    for path in paths:
        os.utime(path, (time.time() - 900,) * 2)
    before = {path: path.read_bytes() for path in paths}
    planned = purge(workspace, dry_run=True)
    assert {path: path.read_bytes() for path in paths} == before
    done = purge(workspace)
    assert sorted(planned, key=repr) == sorted(done, key=repr)
    stays = {one.where for one in done if not one.removed}
    assert stays == {"memory/MEMORY.md", "memory/history.jsonl", "memory/project/plan.md", "notes/2025-01-01.md"}
    assert {one.where for one in done if one.removed} == files.keys() - stays | {"memory/MEMORY.md"}
    assert set(holders_of(workspace, BOATS)) == stays
    purge(workspace, everywhere=True)
    assert BOATS not in (workspace / "memory" / "MEMORY.md").read_text()
    assert (workspace / "memory" / "history.jsonl").read_bytes() == files["memory/history.jsonl"].encode()


def test_a_file_in_which_nothing_is_found_is_not_rewritten(workspace: Path):
    file = write(workspace, "memory/ENTRIES.md", "in a form of its own")
    cleaner, paths = words_cleaner(Erasure(texts=(BOATS,))), MemoryPaths.of(workspace)
    assert clean_files(paths, cleaner, dry_run=False, special_cleaner=lambda _: lambda _: CleanedFile()) == []
    assert file.read_text() == "in a form of its own"
