"""`nanobot-memory entries` and `purge`, called by people and by programs."""

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.values.entries import Entry


@pytest.fixture
def call(workspace: Path, capsys: pytest.CaptureFixture[str]):
    def run(*arguments: str, status: int = 0):
        assert run_command_line([*arguments, "--workspace", str(workspace), "--json"]) == status
        out = capsys.readouterr().out
        return json.loads(out.splitlines()[-1]) if out.strip() else None

    return run


def test_expires_refuses_a_past_day_and_accepts_today(call, workspace: Path, capsys):
    assert run_command_line(["entries", "remember", "Tea", "--expires", "2020-02-16", "-w", str(workspace)]) == 2
    output = capsys.readouterr().err
    assert "2020-02-16 is over already." in output
    assert len(output.splitlines()) == 1
    assert not (workspace / "memory" / "ENTRIES.md").exists()
    assert call("entries", "remember", "Tea", "--expires", f"{datetime.now():%Y-%m-%d}")["new"]


@pytest.fixture
def moved(call, workspace: Path) -> tuple[str, str]:
    """An entry and its replacement."""
    old, new = (call("entries", "remember", f"Lives in {city}")["entry"]["id"] for city in ("Kaunas", "Vilnius"))

    def supersede(now: dict[str, Entry]) -> dict[str, Entry]:
        return {**now, old: replace(now[old], superseded_by=new), new: replace(now[new], supersedes=(old,))}

    EntryRepository(workspace).update(supersede, who="user", why="merge")
    return old, new


def test_the_list_marks_outdated_entries(moved, workspace: Path, capsys):
    _, new = moved
    arguments = ["entries", "list", "--workspace", str(workspace)]
    assert run_command_line(arguments) == 0
    output = [line.split("  ")[-1] for line in capsys.readouterr().out.splitlines()]
    assert set(output) == {"Lives in Vilnius", f"Lives in Kaunas (outdated: see {new})"}
    assert run_command_line(["--lang", "zh", *arguments]) == 0
    assert f"Lives in Kaunas （已过时，见 {new}）" in capsys.readouterr().out


def test_a_text_that_is_too_long_is_refused(workspace: Path, capsys):
    text = "The manual says that " + "the valve opens slowly and " * 200
    assert run_command_line(["entries", "remember", text, "--workspace", str(workspace)]) == 1
    assert "2,000 characters at most" in capsys.readouterr().err


def test_a_purged_text_is_kept_again_only_when_a_person_requests_it(call, workspace: Path):
    id_ = call("entries", "remember", "lives in Kiel, near the old harbour")["entry"]["id"]
    call("purge", id_, "--yes")
    with pytest.raises(InputError, match="for good"):
        remember(
            EntryRepository(workspace),
            NewEntry("Lives in  KIEL, near the old harbour"),
            who="extraction",
            requested=False,
        )
    assert call("entries", "remember", "lives in Kiel, near the old harbour")["new"] is True


@pytest.mark.parametrize("command", ["show", "forget", "confirm", "history"])
def test_words_in_place_of_an_id_are_answered_with_matching_ids(call, workspace: Path, capsys, command: str):
    held = call("entries", "remember", "我医保卡放在书房第二个抽屉里了")["entry"]["id"]
    call("entries", "remember", "豆豆對芒果過敏")
    assert run_command_line(["entries", command, "医保卡", "--workspace", str(workspace)]) == 1
    assert f"{held} (我医保卡放在书房第二个抽屉里了)" in " ".join(capsys.readouterr().err.split())
    assert run_command_line(["entries", command, "芒果", "--workspace", str(workspace), "--lang", "zh"]) == 1
    assert "豆豆對芒果過敏" in capsys.readouterr().err
    assert run_command_line(["entries", command, "0000", "--workspace", str(workspace)]) == 1
    assert "entries list" in capsys.readouterr().err
