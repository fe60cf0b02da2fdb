"""What was forgotten here does not come back with an archive, or with another agent's sessions, from before that."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.erasure.fingerprinting import Removal, remember_forgotten
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.transfer.archive_import import import_archive
from nanobot_memory_plugins.core.transfer.exporting import export_to
from tests.support.files_of import contents_of
from tests.support.indexed_workspace import entry, message

pytestmark = pytest.mark.leaving

SAID = "my therapist is Doctor Zebulon Krieger in Marzipan Alley"
TOLD = f"Hi. You know, {SAID}. Is that far?"
OTHER = "my dentist is Doctor Zelda Krueger in Marzipan Street"


def made(folder: Path, *messages: bytes, notes: bytes = b"") -> Path:
    (folder / "memory" / "sessions").mkdir(parents=True)
    (folder / "memory" / "sessions" / "cli.jsonl").write_bytes(b"".join(messages))
    (folder / "memory" / "2026-02-16.md").write_bytes(notes)
    return folder


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    there = made(
        tmp_path / "there",
        *(message(TOLD, "a1"), message(OTHER, "a2"), message(f"Noted: {SAID}.", "a3")),
        notes=entry(f"Said: {SAID}", "n1", details=f"- {OTHER}\n- {SAID}") + entry(OTHER, "n2"),
    )
    export_to(tmp_path / "a.zip", there)
    return tmp_path / "a.zip"


@pytest.mark.parametrize("has_its_own", [False, True])
def test_an_older_archive_brings_all_but_what_was_forgotten(archive: Path, tmp_path: Path, has_its_own: bool):
    here = tmp_path / "here"
    made(
        here, message("We live in Kiel.", "b1"), notes=entry("We live in Kiel.", "m1")
    ) if has_its_own else here.mkdir()
    remember_forgotten(MemoryPaths.of(here), [Removal("", (SAID,))])
    report = import_archive(archive, here)
    kept = b"".join(contents_of(here / "memory").values())
    assert b"Zebulon" not in kept
    assert kept.count(b"Zelda") == 3
    assert b"Is that far?" in kept
    assert (b"Kiel" in kept) == has_its_own
    assert not report.dry_run
    assert import_archive(archive, here).taken == {}


def test_what_the_user_said_again_later_comes_with_the_archive(tmp_path: Path):
    later = (datetime.now(UTC) + timedelta(days=1)).isoformat().encode()
    again = message(TOLD, "a9").replace(b'"role"', b'"time":"' + later + b'","role"', 1)
    export_to(tmp_path / "b.zip", made(tmp_path / "there", again))
    (tmp_path / "here").mkdir()
    remember_forgotten(MemoryPaths.of(tmp_path / "here"), [Removal("", (SAID,))])
    import_archive(tmp_path / "b.zip", tmp_path / "here")
    assert b"Zebulon" in (tmp_path / "here" / "memory" / "sessions" / "cli.jsonl").read_bytes()


def test_the_words_of_an_order_that_is_being_carried_out_are_not_exported(tmp_path: Path):
    there = made(tmp_path / "there", message(OTHER, "a1"))
    remember_forgotten(MemoryPaths.of(there), [Removal("", (SAID,))])
    (there / "memory" / ".erasure" / "unfinished.json").write_text(f'{{"texts": ["{SAID}"]}}')
    export_to(tmp_path / "c.zip", there)
    (tmp_path / "here").mkdir()
    import_archive(tmp_path / "c.zip", tmp_path / "here")
    assert {one.name for one in (tmp_path / "here" / "memory" / ".erasure").iterdir()} >= {"key", "fingerprints.jsonl"}
    assert not (tmp_path / "here" / "memory" / ".erasure" / "unfinished.json").exists()
