"""Importing the memories of other programs: once, with dates and speakers, without secrets."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.kit import stores
from tests.behaviour.kit.life import Life
from tests.behaviour.kit.waiting import until_now

STORES: dict[str, tuple[Callable[[Path], Path], list[str]]] = {
    "nanobot": (stores.make_nanobot, ["zephyr002", "Lisbon", "bees", "Miso"]),
    "markdown": (stores.make_markdown, ["tomatoes", "Onions", "开会", "sqlite"]),
}


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder, without the empty side files that a reader of SQLite creates."""
    files = [file for file in folder.rglob("*") if file.is_file() and not file.name.endswith("-shm")]
    return {str(file): data for file in files if (data := file.read_bytes()) or not file.name.endswith("-wal")}


def texts_of(life: Life) -> dict[str, bytes]:
    return {name: data for name, data in bytes_of(life.memory).items() if "/." not in name}


def hits(life: Life, words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = life.command("search", words, "--json").json["hits"]
    return found


@pytest.mark.parametrize("name", STORES)
def test_an_imported_store_is_found_by_search_and_can_be_undone(name: str, life: Life, tmp_path: Path):
    make, words = STORES[name]
    source = make(tmp_path / "theirs")
    theirs = bytes_of(tmp_path / "theirs")
    preview = life.command("import", source, "--from", name, "--dry-run", "--json").json
    assert not life.memory.exists()
    report = life.command("import", source, "--from", name, "--json").json
    assert (report["format"], report["taken"]) == (name, preview["taken"])
    assert sum(report["taken"].values()) > 2
    assert [word for word in words if not hits(life, word)] == []
    assert life.files_with(stores.SECRET) == []
    assert not (life.memory / "MEMORY.md").exists(), "it would be in every prompt"
    assert life.entries() == []
    before = texts_of(life)
    again = life.command("import", source, "--from", name, "--json").json
    assert (sum(again["taken"].values()), again["known"]) == (0, sum(report["taken"].values()))
    assert texts_of(life) == before
    assert bytes_of(tmp_path / "theirs") == theirs
    assert life.command("import", "--undo", "--json").json["left"] == []
    assert texts_of(life) == {}
    assert [word for word in words if hits(life, word)] == []


def test_messages_of_nanobot_keep_session_time_and_speaker(life: Life, tmp_path: Path):
    source = stores.make_nanobot(tmp_path / "theirs")
    left = {row["why"] for row in life.command("import", source, "--from", "nanobot", "--json").json["left"]}
    assert len(left) >= 4, "results of tools, empty messages, commands, nanobot's own sessions"
    said = life.transcript("telegram:made1")
    assert [record["role"] for record in said] == ["user", "assistant", "user", "user", "user"]
    assert [record["text"] for record in said].count("ok") == 2, "said twice, kept twice"
    assert said[0]["time"].startswith("2026-03-02")
    assert "zephyr001" in said[0]["text"]
    assert life.transcript("dream:night") == []
    (hit,) = [one for one in hits(life, "zephyr001") if "zephyr001" in json.dumps(one)]
    assert hit["origin"] == "user"
    assert {one["origin"] for one in hits(life, "Lisbon")} == {"summary"}, "nobody said it"
    stores.write_nanobot_session(tmp_path / "more", "cli:more", [{"role": "user", "content": "yes"}] * 3)
    assert life.command("import", tmp_path / "more", "--from", "nanobot", "--json").json["taken"]["messages"] == 3
    with_tools = life.command("import", source, "--from", "nanobot", "--tools", "--json").json
    assert with_tools["taken"]["messages"] == 3
    assert "tool" in {one["origin"] for one in hits(life, "exit build")}
    assert life.files_with(stores.SECRET) == []


def test_private_text_in_another_store_is_not_imported(life: Life, tmp_path: Path):
    def said(*texts: str) -> list[dict[str, str]]:
        return [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(texts)]

    talk = said("I moved to Lisbon. <private>Quorvex one</private>", "Fine.", "/private Quorvex two", "Quorvex three")
    pause = said("memory pause", "It is paused.", "Quorvex four", "Quorvex five", "memory resume", "On.", "I like figs")
    stores.write_nanobot_session(tmp_path / "theirs", "cli:theirs", [*talk, *pause])
    stores.write_nanobot_session(tmp_path / "theirs", "cli:marked", said("Quorvex six", "Fine."))
    life.workspace.mkdir()
    for command in ("pause", "resume"):
        assert life.command(command, "--session", "cli:marked").status == 0
    report = life.command("import", tmp_path / "theirs", "--from", "nanobot", "--json").json
    assert report["taken"]["messages"] == 3
    assert [record["text"].strip() for record in life.transcript("cli:theirs")] == [
        "I moved to Lisbon.",
        "Fine.",
        "I like figs",
    ]
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# A\n\nBees.\n\n<private>Quorvex\n\n# B\n\nQuorvex</private>\n\nFigs.\n")
    report = life.command("import", tmp_path / "notes", "--from", "markdown", "--json").json
    assert ("a.md", "its private parts") in {(row["file"], row["why"]) for row in report["left"]}
    assert hits(life, "Figs")
    assert life.command("entries", "remember", "<private>Quorvex</private> I like tea").status == 0
    assert life.files_with("Quorvex") == []


def test_only_new_messages_of_a_continued_session_are_imported(life: Life, tmp_path: Path):
    chat = stores.nanobot_chat(1)
    stores.write_nanobot_session(tmp_path / "theirs", "cli:one", chat[:4])
    life.command("import", tmp_path / "theirs", "--from", "nanobot")
    stores.write_nanobot_session(tmp_path / "theirs", "cli:one", [*chat[:4], chat[5]])
    assert life.command("import", tmp_path / "theirs", "--from", "nanobot", "--json").json["taken"]["messages"] == 1
    assert [record["text"] for record in life.transcript("cli:one")][-1] == "ok"


def test_notes_go_to_the_day_that_they_name_and_an_edited_one_is_new(life: Life, tmp_path: Path):
    source = stores.make_markdown(tmp_path / "theirs")
    (source / "link.md").symlink_to(tmp_path / "config.json")
    (source / "broken.md").write_bytes(b"# Head\n\n" + b"\0" * 100)
    left = {row["file"] for row in life.command("import", source, "--from", "markdown", "--json").json["left"]}
    assert left == {"link.md", "broken.md", "photo.png", ".obsidian"}
    assert "tomatoes" in (life.memory / "2026-03-03.md").read_text(encoding="utf-8")
    assert "Onions" in (life.memory / "2026-02-01.md").read_text(encoding="utf-8")
    assert {hit["origin"] for hit in hits(life, "tomatoes")} == {"notes"}, "a page that was pasted is no word of theirs"
    assert "user" not in {hit["origin"] for hit in hits(life, "sqlite")}, "whatever it says of itself"
    (source / "undated.md").write_text("中文笔记：周六开会。\n", encoding="utf-8")
    assert life.command("import", source, "--from", "markdown", "--json").json["taken"]["notes"] == 1
    assert hits(life, "周六开会")


def test_deleted_or_changed_records_are_not_imported_again_nor_undone(life: Life, tmp_path: Path):
    source = stores.make_markdown(tmp_path / "theirs")
    life.command("import", source, "--from", "markdown")
    changed = life.memory / "2026-03-03.md"
    changed.write_text(changed.read_text(encoding="utf-8").replace("tomatoes", "peppers"), encoding="utf-8")
    (life.memory / "2026-02-01.md").unlink()
    assert sum(life.command("import", source, "--from", "markdown", "--json").json["taken"].values()) == 0
    assert not (life.memory / "2026-02-01.md").exists()
    left = life.command("import", "--undo", "--json").json["left"]
    assert [row["file"] for row in left] == ["2026-03-03.md"]
    assert "peppers" in changed.read_text(encoding="utf-8")
    assert "fed the cat" not in changed.read_text(encoding="utf-8")


def test_the_next_import_finishes_a_killed_one_and_both_are_undone_together(life: Life, tmp_path: Path):
    for number in range(120):
        stores.write_nanobot_session(tmp_path / "theirs", f"cli:made{number}", stores.nanobot_chat(number % 50))
    life.workspace.mkdir()
    command = [
        sys.executable,
        "-m",
        "nanobot_memory_plugins.core.cli",
        "import",
        tmp_path / "theirs",
        "--from",
        "nanobot",
    ]
    with subprocess.Popen([*command, "--workspace", life.workspace], stdout=subprocess.DEVNULL) as process:
        until_now(lambda: list(life.memory.glob("sessions/*.jsonl")), "the first that is written")
        process.kill()
    life.command("import", tmp_path / "theirs", "--from", "nanobot")
    lines = [line for file in life.memory.glob("sessions/*.jsonl") for line in file.read_text("utf-8").splitlines()]
    assert len(lines) == len({json.loads(line)["id"] for line in lines}) == 120 * 5
    assert life.command("import", "--undo", "--json").json["taken"]["messages"] == 120 * 5
    assert texts_of(life) == {}


def test_a_note_in_utf16_is_read_and_another_encoding_is_reported_with_a_hint(life: Life, tmp_path: Path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "plain.md").write_text("Déjà vu 今天 🌱\n", encoding="utf-8")
    (folder / "utf-16.md").write_text("下午三点开会\n", encoding="utf-16")
    others = {"gb18030": "一起吃了米饭\n", "big5": "鳳梨酥很好吃 薔薇\n", "cp1252": "Größe, déjà vu\n"}
    for name, text in others.items():
        (folder / f"{name}.md").write_bytes(text.encode(name))
    report = life.command("import", folder, "--from", "markdown", "--json").json
    assert report["taken"]["notes"] == 2
    left = {row["file"].removesuffix(".md"): row["why"] for row in report["left"]}
    assert {name: "iconv" in why and name in why for name, why in left.items()} == dict.fromkeys(others, True)
    assert [word for word in ("今天", "开会") if not hits(life, word)] == []


def test_a_source_that_cannot_be_imported_is_reported_and_nothing_is_created(life: Life, tmp_path: Path):
    source = stores.make_markdown(tmp_path / "notes")
    (tmp_path / "empty").mkdir()
    stores.make_nanobot(tmp_path / "home")
    for arguments, status, word in (
        ((tmp_path / "nowhere",), 1, "nowhere"),
        ((tmp_path / "empty",), 1, "--from"),
        ((tmp_path / "home", "--from", "nanobot"), 1, "workspace"),
        ((source,), 1, "--from"),
        ((source, "--from", "evernote"), 2, "evernote"),
        ((source, "--from", "nanobot"), 1, "nanobot"),
        ((source, "--from", "archive"), 1, "folder"),
        ((), 2, "store"),
        ((source, "--undo"), 2, "SOURCE"),
    ):
        done = life.command("import", *arguments, "--json")
        assert (done.status, done.json["ok"], word in done.text) == (status, False, True), (arguments, done)
        assert not life.memory.exists() or texts_of(life) == {}


@pytest.mark.accept("V5-05")
async def test_an_older_memory_folder_is_copied_once(life: Life):
    notes = life.workspace / "notes"
    (notes / "work").mkdir(parents=True)
    (notes / "2025-01-02.md").write_text("The kiln was lit.\n", encoding="utf-8")
    (notes / "work" / "plan.md").write_text("Paint the fence.\n", encoding="utf-8")
    (notes / "picture.png").write_bytes(b"\x89PNG")
    (notes / "link.md").symlink_to(life.folder / "config.json")
    life.memory.mkdir()
    (life.memory / "same.md").write_text("current\n", encoding="utf-8")
    (notes / "same.md").write_text("legacy\n", encoding="utf-8")
    for folder in (life.memory, notes):
        (folder / "equal.md").write_text("equal\n", encoding="utf-8")
    (life.workspace / "MEMORY.md").write_text("at the root\n", encoding="utf-8")
    before = {file: file.read_bytes() for file in notes.rglob("*") if file.is_file()}
    async with life.host() as memory:
        await memory.flush_index()
    assert (life.memory / "2025-01-02.md").read_text(encoding="utf-8") == "The kiln was lit.\n"
    assert (life.memory / "work" / "plan.md").exists()
    assert (life.memory / "same.md").read_text(encoding="utf-8") == "current\n", "nothing is written over"
    assert "legacy" in "".join(file.read_text(encoding="utf-8") for file in life.memory.rglob("same.md"))
    assert not list(life.memory.rglob("link.md"))
    assert len(list(life.memory.rglob("equal.md"))) == 1
    assert (life.memory / "MEMORY.md").read_text(encoding="utf-8") == "at the root\n"
    assert (life.workspace / "MEMORY.md").exists()
    assert {file: file.read_bytes() for file in before} == before
    assert (notes / ".migrated_to_v5").is_file()
    assert hits(life, "kiln")
    (life.memory / "2025-01-02.md").unlink()
    (notes / "later.md").write_text("Later.\n", encoding="utf-8")
    async with life.host() as memory:
        await memory.flush_index()
    assert not (life.memory / "2025-01-02.md").exists()
    assert not (life.memory / "later.md").exists()
    assert hits(life, "kiln") == []
