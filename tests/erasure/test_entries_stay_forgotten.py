"""An entry that was forgotten for good does not come back: not with a file, an archive, or an answer of a model."""

import json
import shutil
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.nightly.pipeline import NightlyConsolidation
from nanobot_memory_plugins.consolidation.operations.async_entries import AsyncEntryRepository
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.core import MemoryHost, Note
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.host.eraser import purge_texts
from nanobot_memory_plugins.core.values import Erasure, Origin
from tests.support.files_of import holders_of

pytestmark = pytest.mark.leaving

DENTIST = "My dentist Zebulon Krieger lives in Marzipan Street 5"
TEA = "I like green tea"
KEPT = "I play chess on Sundays"


class Commands:
    """The command line in one workspace."""

    def __init__(self, workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.workspace = workspace
        self._capsys = capsys

    def __call__(self, *arguments: str, status: int = 0) -> dict:
        assert run_command_line([*arguments, "--workspace", str(self.workspace), "--json"]) == status
        out = self._capsys.readouterr().out
        return json.loads(out.splitlines()[-1]) if out.strip() else {}

    @property
    def memory(self) -> Path:
        return self.workspace / "memory"

    def remember(self, *texts: str) -> list[str]:
        for text in texts:
            self("entries", "remember", text)
        return [one["id"] for one in self("entries", "list")["entries"]]

    def listed(self) -> set[str]:
        return {one["content"] for one in self("entries", "list")["entries"]}

    def holds(self, words: str) -> bool:
        return bool(holders_of(self.memory, words))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Commands:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "consolidation")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "here").mkdir()
    return Commands(tmp_path / "here", capsys)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        (DENTIST, ["--text", "Zebulon Krieger lives in Marzipan Street"]),
        (DENTIST, ["--text", "Zebulon"]),
        (DENTIST, ["ID"]),
        (TEA, ["ID"]),
        (TEA, ["--text", "green"]),
        ("我喜欢喝狮峰龙井", ["--text", "狮峰龙井"]),
    ],
)
def test_an_entry_that_was_purged_does_not_come_back_with_an_earlier_file(here: Commands, text: str, order: list[str]):
    here.remember(KEPT, text)
    id_ = next(one["id"] for one in here("entries", "list")["entries"] if one["content"] == text)
    old = here.memory / "ENTRIES.md"
    before = old.read_bytes()
    here("purge", *[id_ if word == "ID" else word for word in order], "--yes")
    old.write_bytes(before)
    assert here.listed() == {KEPT}
    here.remember("I row on Mondays")
    assert here.listed() == {KEPT, "I row on Mondays"}
    assert not here.holds(text)


def test_an_entry_that_had_been_forgotten_before_the_purge_does_not_come_back_either(here: Commands):
    here.remember(KEPT, TEA)
    id_ = next(one["id"] for one in here("entries", "list")["entries"] if one["content"] == TEA)
    before = (here.memory / "ENTRIES.md").read_bytes()
    here("entries", "forget", id_)
    here("purge", "--text", "green", "--yes")
    (here.memory / "ENTRIES.md").write_bytes(before)
    assert here.listed() == {KEPT}


def test_what_a_person_asks_to_be_remembered_again_is_kept_and_may_be_edited(here: Commands):
    here.remember(DENTIST)
    here("purge", "--text", "Zebulon Krieger lives in Marzipan Street", "--yes")
    here.remember(DENTIST)
    file = here.memory / "ENTRIES.md"
    file.write_text(file.read_text().replace(DENTIST, f"{DENTIST}, first floor"))
    assert here.listed() == {f"{DENTIST}, first floor"}


@pytest.mark.parametrize("has_its_own", [False, True])
@pytest.mark.parametrize(("is_moved", "order"), [(False, "Zebulon Krieger lives in Marzipan Street"), (True, "ID")])
def test_an_older_archive_brings_all_entries_but_what_was_purged(
    here: Commands, tmp_path: Path, has_its_own: bool, is_moved: bool, order: str
):
    here.remember(KEPT, DENTIST, TEA)
    if is_moved:
        (here.memory / "ENTRIES.md").touch()
        here.remember(TEA)
    ids = {one["content"]: one["id"] for one in here("entries", "list")["entries"]}
    here("export", "--to", str(tmp_path / "a.zip"))
    here("purge", *([ids[DENTIST], ids[TEA]] if order == "ID" else ["--text", order]), "--yes")
    if not has_its_own:
        for path in here.memory.iterdir():
            if path.name.startswith(("MEMORY", "ENTRIES")):
                path.unlink()
        purged = here.memory / ".entries" / "purged"
        keep = purged.read_bytes()
        shutil.rmtree(here.memory / ".entries")
        purged.parent.mkdir()
        purged.write_bytes(keep)
    here("import", str(tmp_path / "a.zip"))
    assert here.listed() == ({KEPT} if order == "ID" else {KEPT, TEA})
    assert not here.holds("Zebulon")
    assert set(here("import", str(tmp_path / "a.zip"))["taken"].values()) <= {0}


@pytest.mark.parametrize("words", ["Zebulon Krieger lives in Marzipan Street", "Zebulon"])
async def test_what_is_purged_while_the_nightly_model_is_asked_is_not_added(here: Commands, words: str):
    async with MemoryHost(here.workspace) as host:
        await host.keep(Note(DENTIST, origin=Origin.USER), session_key="cli:a")
        await host.keep(Note(KEPT, origin=Origin.USER), session_key="cli:a")

        async def complete(messages, **_settings):
            assert "Zebulon" in json.dumps(messages)
            if words == "Zebulon":
                await host.eraser.erase(Erasure(words=(words,)))
            else:
                await purge_texts(host, [words])
            new = [{"op": "add", "content": one, "category": "fact", "importance": "high"} for one in (DENTIST, KEPT)]
            return json.dumps({"operations": new})

        clock = SystemClock()
        memory = AsyncEntryRepository(here.workspace, clock=clock, redact=lambda text: text)
        nightly = NightlyConsolidation(
            memory, clock=clock, redact=lambda text: text, complete=complete, options=ConsolidationOptions()
        )
        report = await nightly.run()
    assert [one.text for one in report.done] == [KEPT]
    assert not here.holds("Zebulon")


def test_the_words_of_people_in_a_copy_that_was_kept_aside_stay_whole(here: Commands):
    (tea,) = here.remember("Tea")
    aside = here.memory / "ENTRIES.md.aside-20260101T000000Z-ab12"
    aside.write_text("Team Teapot meets; Teal is the colour.\n")
    here("purge", tea, "--yes")
    assert aside.read_text() == "Team Teapot meets; Teal is the colour.\n"
