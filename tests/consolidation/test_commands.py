"""`nanobot-memory entries` and `purge`, as people and programs call them."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.cli.shown import said_why
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.operations.editing import edit
from nanobot_memory_plugins.consolidation.operations.remember import MOST_CHARACTERS, NewEntry, remember
from nanobot_memory_plugins.consolidation.store.history import PURGED, Run
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.cli.language import spoken
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.values import EntryEdit
from tests.support.each import each
from tests.support.files_of import holders_of


@pytest.fixture
def call(workspace: Path, capsys: pytest.CaptureFixture[str]):
    def run(*arguments: str, status: int = 0):
        assert run_command_line([*arguments, "--workspace", str(workspace), "--json"]) == status
        out = capsys.readouterr().out
        return json.loads(out.splitlines()[-1]) if out.strip() else None

    return run


@pytest.fixture
def say(workspace: Path, capsys: pytest.CaptureFixture[str]):
    def run(*arguments: str, status: int = 0) -> str:
        assert run_command_line([*arguments, "--workspace", str(workspace)]) == status
        return capsys.readouterr().out

    return run


def test_remembering_says_file_and_id_of_what_stands_there(call, workspace: Path):
    done = call("entries", "remember", "用户喜欢喝茶", "--group", "Life", "--importance", "medium")
    assert (done["ok"], done["new"], done["file"]) == (True, True, "memory/ENTRIES.md")
    id_ = done["entry"]["id"]
    text = (workspace / "memory" / "ENTRIES.md").read_text(encoding="utf-8")
    assert f"### [{id_}] fact | 0.60 | " in text
    assert "\n用户喜欢喝茶\n" in text
    assert "group: life" in text


def test_a_day_that_is_over_is_no_end_and_today_is(call, workspace: Path, capsys):
    assert run_command_line(["entries", "remember", "Tea", "--expires", "2020-02-16", "-w", str(workspace)]) == 2
    told = capsys.readouterr().err
    assert "--expires 2020-02-16 is over already. Nothing was written." in told
    assert len(told.splitlines()) == 1
    assert not (workspace / "memory" / "ENTRIES.md").exists()
    assert call("entries", "remember", "Tea", "--expires", f"{datetime.now():%Y-%m-%d}")["new"]


def test_without_entries_the_list_of_groups_says_so(say, workspace: Path):
    assert say("entries", "group") == "There are no entries.\n"


@pytest.mark.parametrize("only", ["--group=play", "--user=bo", "--project=x", "--section=archived"])
def test_a_list_that_conditions_empty_is_not_called_an_empty_memory(call, say, only: str):
    assert say("entries", "list", only) == "There are no entries.\n"
    call("entries", "remember", "Likes tea.", "--group", "life")
    assert say("entries", "list", only) == "No entry meets these conditions.\n"


def test_what_a_model_noted_is_confirmed_by_a_person_and_that_is_undone(call, workspace: Path):
    from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
    from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
    from nanobot_memory_plugins.core import Origin

    noted = remember(EntryRepository(workspace), NewEntry("likes tea", origin=Origin.SUMMARY), who="tool").entry
    call("entries", "remember", "likes cocoa")
    assert [one["id"] for one in call("entries", "confirm", noted.id)["changes"]] == [noted.id]
    assert call("entries", "show", noted.id)["entry"]["origin"] == "user"
    assert call("entries", "confirm", noted.id)["changes"] == []
    call("entries", "undo")
    assert call("entries", "show", noted.id)["entry"]["origin"] == "summary"
    assert call("entries", "confirm", "zzz", status=1)["ok"] is False


def test_a_purge_wants_to_be_meant(call, workspace: Path):
    id_ = call("entries", "remember", "a very private thing")["entry"]["id"]
    call("purge", id_, status=2)
    assert call("purge", id_, "--yes")["ids"] == [id_]
    assert holders_of(workspace, "very private") == []
    assert call("purge", id_, "--yes", status=1)["ok"] is False


def test_people_are_told_in_words(say):
    said = say("entries", "remember", "likes [bold] tea")
    assert "likes [bold] tea" in said
    id_ = said.split()[1]
    for arguments in (("list",), ("show", id_), ("history",), ("group",), ("forget", id_), ("undo",)):
        assert say("entries", *arguments).strip()
    assert "Nothing changed" not in say("entries", "restore", id_)


def test_an_entry_is_shown_in_words_of_the_readers_language(say, call, workspace: Path):
    id_ = call("entries", "remember", "用户喜欢喝茶")["entry"]["id"]
    in_chinese = say("--lang", "zh", "entries", "show", id_)
    assert "    置顶: 否\n    重要程度: 高\n" in in_chinese
    assert "    状态: 有效\n" in in_chinese
    assert "pinned: no\n" in say("entries", "show", id_)
    minute = call("entries", "show", id_)["entry"]["created_at"][:10]
    assert re.search(rf"创建时间: {minute} \d\d:\d\d\n", in_chinese)


def test_the_list_marks_what_holds_no_more(say, call, workspace: Path):
    old, new = (call("entries", "remember", f"Lives in {city}")["entry"]["id"] for city in ("Kaunas", "Vilnius"))
    repository = EntryRepository(workspace)

    def supersede(now: dict[str, Entry]) -> dict[str, Entry]:
        return {**now, old: replace(now[old], superseded_by=new), new: replace(now[new], supersedes=(old,))}

    repository.update(supersede, who="user", why="merge")
    told = [line.split("  ")[-1] for line in say("entries", "list").splitlines()]
    assert set(told) == {"Lives in Vilnius", f"Lives in Kaunas (outdated: see {new})"}
    assert f"Lives in Kaunas （已过时，见 {new}）" in say("--lang", "zh", "entries", "list")


@each(
    "why",
    [
        "session cli:a11b",
        "daily consolidation, 2026-11-28",
        PURGED,
    ],
)
def test_why_a_run_was_done_is_said_in_chinese(why: str):
    with spoken("zh"):
        said = said_why(Run("r", "2026-11-28T10:00:00+00:00", "extraction", why))
    assert re.sub(r"cli:\w+|\w{12}|Kafka|[A-Z]+\.md|[\d-]+", "", said).isascii() is False
    assert not re.search(r"[a-z]{3,}", re.sub(r"cli:\w+|\w{12}|Kafka|[A-Z]+\.md", "", said)), said


def test_a_secret_is_hidden_before_it_is_remembered(call, workspace: Path):
    text = "I work at Acme, my password is hunter2secret99 and api_key=sk-abcdefghijklmnopqrstuvwxyz123456"
    call("entries", "remember", text)
    assert holders_of(workspace, "sk-abcdefghij") == []


def test_a_workspace_that_does_not_exist_is_not_made(tmp_path: Path):
    assert run_command_line(["entries", "list", "--workspace", str(tmp_path / "nowhere"), "--json"]) == 1
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    "text", ["a\nb\r\n### [x] fact | 1 | 2026-01-01 | 1", "\ud800 x\0y", "# heading", "-->", "x" * 10**6]
)
def test_any_text_can_be_remembered(workspace: Path, text: str):
    repository = EntryRepository(workspace)
    done = remember(repository, NewEntry(text), who="user")
    assert list(repository.load().entries) == [done.entry.id]
    assert repository.load().entries[done.entry.id] == done.entry
    assert len(done.entry.content) <= MOST_CHARACTERS


def test_what_is_too_long_for_an_entry_is_cut_and_said_to_be(call, workspace: Path, capsys):
    text = "The manual says that " + "the valve opens slowly and " * 200
    done = call("entries", "remember", text)
    assert (done["cut"], len(done["entry"]["content"])) == (True, MOST_CHARACTERS)
    assert call("entries", "remember", "Likes tea.")["cut"] is False
    assert run_command_line(["entries", "remember", f"Again: {text}", "--workspace", str(workspace)]) == 0
    assert "Only the beginning was kept, 2,000 characters" in capsys.readouterr().err


def test_an_edit_that_is_too_long_changes_nothing(workspace: Path):
    repository = EntryRepository(workspace)
    done = remember(repository, NewEntry("Likes tea"), who="user")
    for text in ("x" * (MOST_CHARACTERS + 1), "word " * 4_000):
        with pytest.raises(InputError, match="too long for an entry: 2,000 characters at most"):
            edit(repository, done.entry.id, EntryEdit(text=text), who="user")
    edit(repository, done.entry.id, EntryEdit(text="x" * MOST_CHARACTERS), who="user")
    assert repository.load().entries[done.entry.id].content == "x" * MOST_CHARACTERS


@pytest.mark.parametrize("command", [("entries", "list"), ("entries", "remember", "Likes rain."), ("stats",)])
def test_a_line_that_is_no_entry_is_said_once_by_a_command(workspace: Path, command: tuple[str, ...]):
    file = workspace / "memory" / "ENTRIES.md"
    file.parent.mkdir(exist_ok=True)
    file.write_text("# Agent Memory\n\n## Active Memories\n\n### [broken] fact\nno score\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "nanobot_memory_plugins.core.cli", *command, "--workspace", str(workspace)],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stderr.count("it is no entry") == 1


def test_what_was_purged_is_taken_up_again_only_when_a_person_asks(call, workspace: Path):
    id_ = call("entries", "remember", "lives in Kiel, near the old harbour")["entry"]["id"]
    call("purge", id_, "--yes")
    with pytest.raises(InputError, match="for good"):
        remember(
            EntryRepository(workspace), NewEntry("Lives in  KIEL, near the old harbour"), who="extraction", asked=False
        )
    assert call("entries", "remember", "lives in Kiel, near the old harbour")["new"] is True


def test_no_language_model_and_no_heavy_package_is_loaded(workspace: Path):
    import subprocess
    import sys

    script = (
        "import sys; from nanobot_memory_plugins.core.cli.main import run_command_line as run; "
        f"run(['entries', 'list', '--json', '--workspace', {str(workspace)!r}]); "
        "assert not {'numpy', 'fastembed', 'nanobot', 'onnxruntime'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, env={**os.environ}, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", ["show", "forget", "confirm", "history"])
def test_who_names_an_entry_by_its_words_is_told_the_ids_that_hold_them(call, workspace: Path, capsys, command: str):
    held = call("entries", "remember", "我医保卡放在书房第二个抽屉里了")["entry"]["id"]
    call("entries", "remember", "豆豆對芒果過敏")
    assert run_command_line(["entries", command, "医保卡", "--workspace", str(workspace)]) == 1
    assert f"{held} (我医保卡放在书房第二个抽屉里了)" in " ".join(capsys.readouterr().err.split())
    assert run_command_line(["entries", command, "芒果", "--workspace", str(workspace), "--lang", "zh"]) == 1
    assert "豆豆對芒果過敏" in capsys.readouterr().err
    assert run_command_line(["entries", command, "0000", "--workspace", str(workspace)]) == 1
    assert "entries list" in capsys.readouterr().err
