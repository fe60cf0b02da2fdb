"""Damaged, changed or hostile archives are refused: nothing is written anywhere."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.behaviour.kit.life import Life

Members = dict[str, tuple[zipfile.ZipInfo, bytes]]
NAME = "memory/MEMORY.md"


@pytest.fixture
def archive(life: Life, tmp_path: Path) -> Path:
    life.memory.mkdir(parents=True)
    (life.memory / "MEMORY.md").write_text("# Mine\n\nI grow walnuts.\n", encoding="utf-8")
    (life.memory / "garden.md").write_text("# Garden\n\n" + "Beds of leek.\n" * 200, encoding="utf-8")
    assert life.command("export", "--to", tmp_path / "good.zip").status == 0
    return tmp_path / "good.zip"


def read(path: Path) -> Members:
    with zipfile.ZipFile(path) as packed:
        return {info.filename: (info, packed.read(info)) for info in packed.infolist()}


def write(path: Path, members: Members) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, (old, data) in members.items():
            info = zipfile.ZipInfo(name)
            info.external_attr, info.compress_type = old.external_attr, zipfile.ZIP_DEFLATED
            packed.writestr(info, data)


def relist(members: Members, change: Callable[[dict], object]) -> None:
    info, data = members["manifest.json"]
    manifest = json.loads(data)
    change(manifest)
    members["manifest.json"] = info, json.dumps(manifest).encode()


def renamed(new: str) -> Callable[[Members], None]:
    """Return the change that gives a file another name."""

    def change(members: Members) -> None:
        members[new] = members.pop(NAME)

    return change


def bomb(members: Members) -> None:
    members["memory/zeros.md"] = members[NAME][0], b"\0" * (40 << 20)


def manifest_bomb(members: Members) -> None:
    info, data = members["manifest.json"]
    members["manifest.json"] = info, data + b" " * (40 << 20)


def unreadable(members: Members) -> None:
    members["manifest.json"] = members["manifest.json"][0], b"{"


HOSTILE: dict[str, Callable[[Members], object]] = {
    "no manifest": lambda members: members.pop("manifest.json"),
    "a manifest that is no JSON": unreadable,
    "a newer version": lambda members: relist(members, lambda listed: listed.update(version=99)),
    "another format": lambda members: relist(members, lambda listed: listed.update(format="tar")),
    "a way out": renamed("memory/../../evil.md"),
    "an absolute name": renamed("/tmp/evil-of-the-tests.md"),
    "a drive": renamed("memory/C:evil.md"),
    "a backslash": renamed("memory/..\\evil.md"),
    "another folder": renamed("config.json"),
    "a line break": renamed("memory/a\nb.md"),
    "a bomb": bomb,
    "a bomb for a manifest": manifest_bomb,
}


def is_refused(life: Life, archive: Path, target: Path) -> bool:
    """Import into a new workspace; return whether it was refused with a message and nothing was written."""
    beside = set(target.parent.iterdir())
    target.mkdir(exist_ok=True)
    life.folder = target
    done = life.command("import", archive, "--json")
    nothing = [file for file in target.rglob("*") if file.is_file() and file.name != "config.json"] == []
    assert set(target.parent.iterdir()) == beside | {target}
    return nothing and done.status == 1 and bool(done.json["error"] and done.json["hint"])


def test_an_archive_that_leaves_its_folder_or_unpacks_to_too_much_is_refused(life: Life, archive: Path, tmp_path: Path):
    accepted = []
    for what, change in HOSTILE.items():
        members = read(archive)
        change(members)
        write(tmp_path / "bad.zip", members)
        if not is_refused(life, tmp_path / "bad.zip", tmp_path / "fresh"):
            accepted.append(what)
    assert accepted == []
    assert not Path("/tmp/evil-of-the-tests.md").exists()


def test_truncated_and_damaged_archives_and_zip_bombs_are_refused(life: Life, archive: Path, tmp_path: Path):
    data, bad = archive.read_bytes(), tmp_path / "bad.zip"
    for cut in (0, 1, 100, len(data) // 2, len(data) - 1):
        bad.write_bytes(data[:cut])
        assert is_refused(life, bad, tmp_path / "fresh"), cut
    with zipfile.ZipFile(archive) as packed:
        start = packed.getinfo(NAME).header_offset + 60
    bad.write_bytes(data[:start] + bytes([data[start] ^ 1]) + data[start + 1 :])
    assert is_refused(life, bad, tmp_path / "fresh"), "a byte that was changed"
    members = read(archive)
    info, content = members[NAME]
    members[NAME] = info, b"\0" * (30 << 20)
    write(bad, members)
    sizes = [size.to_bytes(4, "little") for size in (30 << 20, len(content))]
    assert bad.read_bytes().count(sizes[0]) >= 2
    bad.write_bytes(bad.read_bytes().replace(*sizes))
    assert is_refused(life, bad, tmp_path / "fresh")


def test_an_import_does_not_write_through_a_symbolic_link(life: Life, archive: Path, tmp_path: Path):
    fresh, outside = tmp_path / "fresh", tmp_path / "outside"
    (fresh / "workspace" / "memory").mkdir(parents=True)
    outside.mkdir()
    (outside / "MEMORY.md").write_text("theirs", encoding="utf-8")
    (fresh / "workspace" / "memory" / "MEMORY.md").symlink_to(outside / "MEMORY.md")
    (fresh / "workspace" / "memory" / "imported").symlink_to(outside)
    life.folder = fresh
    life.command("import", archive)
    assert [file.name for file in outside.iterdir()] == ["MEMORY.md"]
    assert (outside / "MEMORY.md").read_text(encoding="utf-8") == "theirs"


def test_files_that_are_not_memory_files_are_skipped_and_reported(life: Life, archive: Path, tmp_path: Path):
    members = read(archive)
    odd = ["memory/.git/config", "memory/x.tmp", "memory/run.sh"]
    for name in odd:
        members[name] = members[NAME][0], b"x"
    write(tmp_path / "odd.zip", members)
    (tmp_path / "fresh").mkdir()
    life.folder = tmp_path / "fresh"
    assert {row["file"] for row in life.command("import", tmp_path / "odd.zip", "--json").json["left"]} == set(odd)
    assert [name for name in odd if (life.workspace / name).exists()] == []
    assert "walnuts" in (life.memory / "MEMORY.md").read_text(encoding="utf-8")
