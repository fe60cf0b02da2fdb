"""Texts that are forgotten for good: found in any spelling, gone from our files, left in those of others."""

import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core import MemoryHost, Note
from nanobot_memory_plugins.core.erasure.chinese_borders import AFTER, BEFORE, Border
from nanobot_memory_plugins.core.erasure.cleaning import clean_notes, clean_transcript
from nanobot_memory_plugins.core.erasure.files import purge_files
from nanobot_memory_plugins.core.erasure.matching import Wanted
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.host.eraser import purge_texts
from nanobot_memory_plugins.core.testing import install_plugin
from nanobot_memory_plugins.core.values import Origin, Trace
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
        ("hello! THE  USER\nowns three-boats, and a car? Yes.", "hello! […] Yes."),
        ("你好。我记得用户喜欢喝龙井茶，对吗？再见。", "你好。[…]再见。"),
        ("ｔｈｅ ｕｓｅｒ ｏｗｎｓ ｔｈｒｅｅ ｂｏａｔｓ", "[…]"),
        ("first line\nsecond: The user owns three boats now\nthird", "first line\nsecond: […]\nthird"),
        ("The user owns three boatsheds", None),
        ("The user owns boats", None),
        ("", None),
    ],
)
def test_the_sentence_that_carries_a_text_is_taken_out(text: str, left: str | None):
    cleaned, count = Wanted([BOATS, TEA]).without(text)
    assert (cleaned, count) == ((text, 0) if left is None else (left, 1))


def test_a_short_text_is_found_only_where_it_is_the_whole_sentence():
    wanted = Wanted(["tea", "喝茶"])
    assert wanted.without("Steady. Tea! A cup of tea, please. 我喜欢喝茶。喝茶。")[0] == (
        "Steady. […] A cup of tea, please. 我喜欢喝茶。[…]"
    )


@given(st.text(max_size=80), st.text(max_size=80), st.sampled_from([BOATS, TEA, "El niño vive en Málaga"]))
@settings(max_examples=examples(150))
def test_nothing_of_it_is_left_whatever_stands_around(before: str, after: str, text: str):
    wanted = Wanted([text])
    cleaned, count = wanted.without(f"{before}\n{text}\n{after}")
    assert (count, wanted.count(cleaned)) == (1, 0)
    assert text not in cleaned


@given(st.binary(max_size=300))
@settings(max_examples=examples(100))
def test_other_bytes_stay_as_they_are(data: bytes):
    wanted = Wanted([BOATS])
    assert clean_transcript(data, wanted).data == data
    assert clean_notes(data, wanted).data == data


def test_a_transcript_keeps_its_records_and_all_else_in_them():
    lines = [message("Good morning", "m1"), message(f"Hi. {BOATS}. What now?", "m2"), b'{"torn": "' + BOATS.encode()]
    escaped = json.dumps({"id": "m3", "role": "user", "text": TEA}).encode() + b"\n"
    cleaned = clean_transcript(b"".join([lines[0], lines[1], escaped, lines[2]]), Wanted([BOATS, TEA]))
    rows = [json.loads(line) for line in cleaned.data.splitlines()]
    assert [row["text"] for row in rows] == ["Good morning", "Hi. […] What now?", "[…]"]
    assert {key: rows[1][key] for key in ("id", "role", "session")} == {
        "id": "m2",
        "role": "user",
        "session": "cli:direct",
    }
    assert cleaned.data.startswith(lines[0])
    assert [one.line for one in cleaned.found] == [2, 3, 4]


def test_in_notes_ours_are_cleaned_and_text_of_people_is_counted():
    ours = entry(BOATS, "n1", details=f"- seen today\n- {BOATS}, all red")
    theirs = f"\n## Mine\n\n{BOATS}.\n".encode()
    cleaned = clean_notes(b"# Day\n\n" + ours + theirs, Wanted([BOATS]))
    text = cleaned.data.decode()
    assert (len(cleaned.found), len(cleaned.foreign)) == (2, 1)
    assert "tl;dr: […]\nid: n1" in text
    assert "- seen today\n- […]\n" in text
    assert cleaned.data.endswith(theirs)
    everywhere = clean_notes(b"# Day\n\n" + ours + theirs, Wanted([BOATS]), everywhere=True)
    assert (len(everywhere.found), len(everywhere.foreign), BOATS in everywhere.data.decode()) == (3, 0, False)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "memory" / "sessions").mkdir(parents=True)
    return tmp_path


def write(workspace: Path, name: str, data: bytes | str) -> Path:
    path = workspace / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_every_file_of_ours_is_reached_and_each_other_is_reported(workspace: Path):
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
    wanted = Wanted([BOATS])
    memory = MemoryPaths.of(workspace)
    looked = purge_files(memory, wanted, dry_run=True, everywhere=False)
    assert {path: path.read_bytes() for path in paths} == before
    done = purge_files(memory, wanted, dry_run=False, everywhere=False)
    assert looked == done
    stays = {one.where for one in done if not one.removed}
    assert stays == {"memory/MEMORY.md", "memory/history.jsonl", "memory/project/plan.md", "notes/2025-01-01.md"}
    assert {one.where for one in done if one.removed} == files.keys() - stays | {"memory/MEMORY.md"}
    assert set(holders_of(workspace, BOATS)) == stays
    purge_files(memory, wanted, dry_run=False, everywhere=True)
    assert BOATS not in (workspace / "memory" / "MEMORY.md").read_text()
    assert (workspace / "memory" / "history.jsonl").read_bytes() == files["memory/history.jsonl"].encode()


def test_what_somebody_writes_in_the_last_instant_is_not_lost(workspace: Path, monkeypatch: pytest.MonkeyPatch):
    path = write(workspace, "memory/MEMORY.md", entry(BOATS, "n2"))
    from nanobot_memory_plugins.core.erasure import rewriting

    link, slipped = os.link, []

    def slow(source: Path, target: Path) -> None:
        if not slipped:
            slipped.append(path.write_bytes(path.read_bytes() + b"\nwritten just now\n"))
        link(source, target)

    monkeypatch.setattr(rewriting.os, "link", slow)
    purge_files(MemoryPaths.of(workspace), Wanted([BOATS]), dry_run=False, everywhere=False)
    text = path.read_text()
    assert (BOATS in text, "written just now" in text) == (False, True)
    assert not path.with_name("MEMORY.md.bak").exists()


def test_the_backup_of_whoever_writes_the_file_stays_as_it_is(workspace: Path):
    path = write(workspace, "memory/MEMORY.md", entry(BOATS, "n2"))
    backup = write(workspace, "memory/MEMORY.md.bak", "the file before")
    purge_files(MemoryPaths.of(workspace), Wanted([BOATS]), dry_run=False, everywhere=False)
    assert (BOATS in path.read_text(), backup.read_text()) == (False, "the file before")


async def test_plugins_are_called_and_one_that_fails_is_reported(workspace: Path, tmp_path: Path, monkeypatch):
    for name, body in {
        "good": 'return Trace("my file", len(texts), removed=not dry_run)',
        "bad": 'raise ValueError("no")',
    }.items():
        source = f"""
            from nanobot_memory_plugins.core import hookimpl
            from nanobot_memory_plugins.core.values import Trace

            @hookimpl
            def on_purge(texts, dry_run):
                {body}
        """
        folder = tmp_path / name
        folder.mkdir()
        install_plugin(folder, monkeypatch, name, source)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "good,bad")
    async with MemoryHost(workspace) as host:
        await host.message_received(session_key="s", text=f"By the way. {BOATS}.")
        await host.keep(Note(tldr=BOATS, origin=Origin.USER), session_key="s")
        found = await purge_texts(host, [BOATS])
        assert host.history("s")[0]["content"] == "By the way. […]"
    assert Trace("my file", 1) in found
    assert [one.why for one in found if one.where == "plugin bad"] == ["it failed; purge again"]
    assert [one for one in found if not one.removed and one.where != "plugin bad"] == []


@each(
    "words",
    ["COVID-19", "Jo-Ann", "O'Neil", "X-Ray", "R2-D2", "Bob's", "Node.js", "AT&T", "10.0.0.7", "小-王", "Al_G"],
)
def test_a_short_word_with_a_mark_inside_is_found_as_it_is_written(words):
    wanted = Wanted((), words=[words])
    assert wanted.count(f"I met {words} today.") == 1
    assert wanted.count(f"I met {words.replace('-', '‑').upper()} today.") == 1


def test_a_short_word_is_not_taken_for_one_that_is_written_with_other_marks():
    for words, other in [("O'Neil", "ONeil"), ("R2-D2", "R2D2"), ("R2D2", "R2 D2"), ("555-0142", "5550142")]:
        assert Wanted((), words=[words]).count(f"I met {other} today.") == 0


@each("border", [*BEFORE, *AFTER])
def test_each_border_of_a_chinese_word_decides_in_its_example_and_not_in_the_other(border: Border):
    wanted = Wanted((), words=["豆豆"])
    assert (wanted.count(border.example), wanted.count(border.counter_example)) == (1, 0)
