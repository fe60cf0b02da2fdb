"""`purge --text` says what it finds, line by line, and takes short words where they stand as words."""

import asyncio
import json
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.erasure.chinese_borders import AFTER, BEFORE, Border
from nanobot_memory_plugins.core.erasure.matching import Wanted
from nanobot_memory_plugins.core.values import Origin
from tests.support.each import each
from tests.support.files_of import holders_of

SAID = (
    "We move from Kafka to Redpanda. The office is in Porto.",
    "My dentist appointment is on Friday.",
    "豆豆今年五岁了。我们住在杭州。",
    "Kafkaesque novels are long. Nothing else.",
    "I play chess on Sundays.",
)
CONFIG = {"plugins": {"storage": {"embeddingProvider": "none"}}}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,consolidation")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.json").write_text(
        json.dumps({"memoryPlugins": {"storage": {"embeddingProvider": "none"}}}), encoding="utf-8"
    )
    folder = tmp_path / "workspace"
    folder.mkdir()

    async def fill() -> None:
        async with MemoryHost(folder, config=MemoryConfig.model_validate(CONFIG)) as host:
            for text in SAID:
                await host.message_received(session_key="cli:one", text=text)
            await host.keep(Note(tldr="Kafka is leaving", origin=Origin.USER), session_key="cli:one")
            await host.flush_index()

    asyncio.run(fill())
    return folder


@pytest.fixture
def call(workspace: Path, capsys: pytest.CaptureFixture[str]):
    def run(*arguments: str, status: int = 0, as_json: bool = True):
        command = [*arguments, "--workspace", str(workspace), *(["--json"] if as_json else [])]
        assert run_command_line(command) == status
        out = capsys.readouterr().out
        return json.loads(out.splitlines()[-1]) if as_json else out

    return run


def holders(workspace: Path, words: str) -> set[str]:
    return set(holders_of(workspace, words))


def test_backups_that_may_still_hold_what_was_forgotten_are_named(tmp_path: Path, call):
    (tmp_path / "home").mkdir()
    assert "Backups made before" not in call("purge", "--text", "chess", "--yes", as_json=False)
    call("export", "--daily")
    told = " ".join(call("purge", "--text", "dentist", "--yes", as_json=False).split())
    assert "Backups made before may still hold it (1): " in told
    assert "nanobot-memory-backups" in told
    assert "Backups made before" not in call("purge", "--text", "walrus", "--yes", as_json=False, status=1)


def test_a_short_name_is_forgotten_where_it_is_a_word(workspace: Path, call):
    done = call("purge", "--text", "kafka", "--yes")
    assert done["ok"]
    assert ".storage/memory.db" in done["files"]
    held = {one["where"]: one["lines"] for one in done["traces"] if one["lines"]}
    (transcript,) = (name for name in held if name.startswith("memory/sessions/"))
    assert held[transcript] == [{"line": 1, "text": "We move from Kafka to Redpanda."}]
    said = (workspace / transcript).read_text(encoding="utf-8")
    assert "[…] The office is in Porto." in said
    assert [one for one in SAID[1:] if one not in said] == []
    assert holders(workspace, "Kafka is") == set()
    assert holders(workspace, "Kafka to") == set()


def test_two_chinese_characters_are_forgotten(workspace: Path, call):
    assert call("purge", "--text", "豆豆", "--yes")["ok"]
    assert holders(workspace, "豆豆") == set()
    assert holders(workspace, "我们住在杭州")


def test_a_dry_run_names_the_lines_of_the_transcripts_and_writes_nothing(workspace: Path, call):
    before = {path: path.read_bytes() for path in (workspace / "memory").rglob("*") if path.is_file()}
    said = call("purge", "--text", "dentist", "--dry-run", as_json=False)
    assert "to remove from memory/sessions/" in said
    assert "line 2: My dentist appointment is on Friday." in said
    assert {path: path.read_bytes() for path in before} == before


def test_what_is_found_nowhere_is_said_and_nothing_is_called_cleaned(workspace: Path, call):
    before = {path: path.read_bytes() for path in workspace.rglob("*") if path.is_file() and path.suffix == ".jsonl"}
    done = call("purge", "--text", "nowhere-to-be-found-words", "--yes", status=1)
    assert (done["ok"], done["files"], done["traces"]) == (False, [], [])
    said = call("purge", "--text", "nowhere-to-be-found-words", "--yes", status=1, as_json=False)
    assert "nothing was removed" in said
    assert "Forgotten" not in said
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("words", ["豆", "Al", "a"])
def test_what_stands_in_too_much_is_asked_for_as_a_word(workspace: Path, call, words: str, capsys):
    command = ["purge", "--text", words, "--yes", "--workspace", str(workspace)]
    assert run_command_line(command) == 2
    assert "--word" in capsys.readouterr().err


@pytest.mark.parametrize("words", ["…", "🦄", " "])
def test_what_has_no_letter_is_refused(workspace: Path, call, words: str, capsys):
    assert run_command_line(["purge", "--text", words, "--word", "--yes", "--workspace", str(workspace)]) == 2
    assert "holds no letter or digit" in capsys.readouterr().err


def test_one_character_is_forgotten_where_that_is_asked_for(workspace: Path, call):
    assert call("purge", "--text", "豆", "--word", "--yes")["ok"]
    assert holders(workspace, "豆") == set()


def test_an_entry_that_holds_the_words_goes_as_a_whole_and_leaves_no_trace(workspace: Path, call):
    repository = EntryRepository(workspace)
    gone = remember(repository, NewEntry("Their broker is Kafka"), who="user").entry.id
    kept = remember(repository, NewEntry("The user likes Kafkaesque novels"), who="user").entry.id
    planned = call("purge", "--text", "Kafka", "--dry-run")
    lines = [line for one in planned["traces"] if one["where"] == "memory/ENTRIES.md" for line in one["lines"]]
    assert [line["text"] for line in lines] == [f"[{gone}] Their broker is Kafka"]
    assert "Their broker" in (workspace / "memory/ENTRIES.md").read_text().splitlines()[lines[0]["line"] - 1]
    assert call("purge", "--text", "Kafka", "--yes")["ok"]
    assert set(repository.load().entries) == {kept}
    assert holders(workspace, "Their broker") == set()


def test_a_long_list_is_cut_for_people_and_whole_for_programs(workspace: Path, call):
    path = next((workspace / "memory" / "sessions").glob("*.jsonl"))
    rows = [{"id": f"x{n}", "role": "user", "text": f"Kafka {n}", "session": "cli:one"} for n in range(30)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    said = call("purge", "--text", "Kafka", "--dry-run", as_json=False)
    assert "(30 times)" in said
    assert "25 more lines; --all shows them" in said
    assert call("purge", "--text", "Kafka", "--dry-run", "--all", as_json=False).count("line ") == 31
    told = {one["where"]: one["lines"] for one in call("purge", "--text", "Kafka", "--dry-run")["traces"]}
    assert len(told[f"memory/sessions/{path.name}"]) == 30


def test_a_name_by_which_memories_are_found_stays_and_is_named(workspace: Path, call):
    path = next((workspace / "memory" / "sessions").glob("*.jsonl"))
    row = {"id": "x1", "role": "user", "text": "Porto is warm.", "session": "cli:one", "user": "Maria"}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    done = call("purge", "--text", "Maria", "--yes", status=1)
    assert [one["why"] for one in done["traces"]] == ["the name of a session or a person, by which memories are found"]
    assert json.loads(path.read_text()) == row
    for field in ("text", "role", "user"):  # the words of the form are no words of anybody
        assert call("purge", "--text", field, "--yes", status=1)["files"] == []
    assert json.loads(path.read_text()) == row


def test_a_file_whose_name_holds_the_word_is_named(workspace: Path, call):
    (workspace / "memory" / "sessions" / "cli_maria.jsonl").write_text("", encoding="utf-8")
    (workspace / "memory" / "sessions" / "cli_mariachi.jsonl").write_text("", encoding="utf-8")
    told = call("purge", "--text", "Maria", "--dry-run", status=1)
    assert [one["where"] for one in told["traces"]] == ["memory/sessions/cli_maria.jsonl"]
    assert "name of the file" in told["traces"][0]["why"]


def test_a_name_in_another_order_is_named_and_goes_where_that_is_asked_for(workspace: Path, call):
    names = (
        "Krieger, Zebulon lives there.",
        "KRIEGER Zebulon",
        "Ask Zebulon J. Krieger.",
        "Ask Zebulon Maria Krieger.",
        "The file is krieger_zebulon.",
        "Write to krieger.zebulon about it.",
    )
    others = ("Krieger is one. Zebulon is another.", "Krieger met Anna and her son Zebulon.")
    path = write_lines(workspace, *names, *others)
    told = call("purge", "--text", "Zebulon Krieger", "--yes", status=1)
    (trace,) = told["traces"]
    assert (trace["removed"], trace["nearly"]) == (False, True)
    assert [one["line"] for one in trace["lines"]] == [1, 2, 3, 4, 5, 6]
    assert "in another order; --nearly removes it, too" in trace["why"]
    assert said_in(path) == [*names, *others]
    assert call("purge", "--text", "Zebulon Krieger", "--yes", "--nearly")["ok"]
    left = said_in(path)
    assert [text for text in left[:6] if "krieger" in text.lower()] == []
    assert left[6:] == [*others]


def test_what_may_be_a_part_of_another_chinese_word_is_named_and_stays(workspace: Path, call):
    words = ("豆豆", "小美", "京东", "王子", "平安", "国家")
    own = ("今天豆豆生病了。", "我女兒豆豆說她餓了。", "我和小美去爬山。", "我在京东买了书。", "我同事王子很忙。")
    others = ("我爱吃土豆豆角。", "早上喝大豆豆漿。", "孩子在看小美人鱼。", "他住在南京东路。", "我在读小王子。")
    others += ("愿世界和平安宁。", "发展中国家具出口。")
    path = write_lines(workspace, *own, *others)
    texts = [part for word in words for part in ("--text", word)]
    told = call("purge", *texts, "--yes")
    goes, stays = (one for one in told["traces"] if one["where"].endswith(path.name))
    assert (goes["removed"], [one["line"] for one in goes["lines"]]) == (True, [1, 2, 3, 4, 5])
    assert (stays["removed"], [one["line"] for one in stays["lines"]]) == (False, [6, 7, 8, 9, 10, 11, 12])
    assert stays["why"] == "they may be a part of another word there; --nearly removes it, too"
    assert said_in(path) == ["[…]"] * len(own) + [*others]
    assert call("purge", *texts, "--yes", "--nearly")["ok"]
    assert set(said_in(path)) == {"[…]"}


@each("border", [*BEFORE, *AFTER])
def test_each_border_of_a_chinese_word_decides_in_its_example_and_not_in_the_other(border: Border):
    wanted = Wanted((), words=["豆豆"])
    assert (wanted.count(border.example), wanted.count(border.counter_example)) == (1, 0)


def said_in(path: Path) -> list[str]:
    """Return the texts of a transcript."""
    return [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]


def write_lines(workspace: Path, *texts: str) -> Path:
    """Put messages into a transcript of their own."""
    path = workspace / "memory" / "sessions" / "lines.jsonl"
    rows = [{"id": f"l{n}", "role": "user", "text": text, "session": "cli:lines"} for n, text in enumerate(texts)]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path
