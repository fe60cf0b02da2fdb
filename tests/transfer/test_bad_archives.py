"""Archives that are half, changed, or made to do harm: refused in words, and nothing is written."""

import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.transfer import archive as archive_module
from nanobot_memory_plugins.core.transfer.archive_import import import_archive
from nanobot_memory_plugins.core.transfer.exporting import export_to
from tests.transfer.made_memory import make_memory

Members = dict[str, tuple[zipfile.ZipInfo, bytes]]


@pytest.fixture(scope="module")
def good(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    make_memory(folder / "theirs")
    export_to(folder / "a.zip", folder / "theirs")
    return folder / "a.zip"


def members_of(path: Path) -> Members:
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


def rename(old: str, new: str) -> Callable[[Members], None]:
    """Give a file another name, in the list too."""

    def change(members: Members) -> None:
        members[new] = members.pop(old)
        relist(members, lambda m: [file.update(path=new) for file in m["files"] if file["path"] == old])

    return change


def alter(members: Members) -> None:
    info, data = members["memory/MEMORY.md"]
    members["memory/MEMORY.md"] = info, data.replace(b"Mine", b"Evil")


def link(members: Members) -> None:
    members["memory/MEMORY.md"][0].external_attr = (stat.S_IFLNK | 0o777) << 16


def add_file(members: Members) -> None:
    members["memory/extra.md"] = members["memory/MEMORY.md"]


def drop_file(members: Members) -> None:
    del members["memory/MEMORY.md"]


def bomb(members: Members) -> None:
    data = b"\0" * (40 << 20)
    members["memory/zeros.md"] = members["memory/MEMORY.md"][0], data
    relist(members, lambda m: m["files"].append({"path": "memory/zeros.md", "size": len(data), "sha256": "0" * 64}))


def larger_than_listed(members: Members) -> None:
    relist(members, lambda m: [file.update(size=3) for file in m["files"]])


ALTERED: dict[str, tuple[Callable[[Members], object], str]] = {
    "a changed file": (alter, "is not what its hash says"),
    "no list": (lambda m: m.pop("manifest.json"), "has no manifest.json"),
    "a list that is no JSON": (
        lambda m: m.update({"manifest.json": (m["manifest.json"][0], b"{")}),
        "cannot be underst",
    ),
    "another list": (lambda m: relist(m, lambda x: x.update(format="other")), "cannot be understood \\(format\\)"),
    "a newer version": (lambda m: relist(m, lambda x: x.update(version=2)), "version 2 .* Upgrade nanobot-memory-core"),
    "a newer version of another form": (
        lambda m: relist(m, lambda x: x.update(version=2, files={"memory/MEMORY.md": "elsewhere"})),
        "version 2 .* Upgrade nanobot-memory-core",
    ),
    "a hash that is none": (lambda m: relist(m, lambda x: x["files"][0].update(sha256="x")), "cannot be understood"),
    "a size below zero": (lambda m: relist(m, lambda x: x["files"][0].update(size=-1)), "cannot be understood"),
    "a file twice in the list": (lambda m: relist(m, lambda x: x["files"].append(x["files"][0])), "names a file twice"),
    "a way out": (rename("memory/MEMORY.md", "memory/../../evil.md"), "leads out of the memory folder"),
    "an absolute name": (rename("memory/MEMORY.md", "/tmp/evil.md"), "leads out of the memory folder"),
    "a drive": (rename("memory/MEMORY.md", "memory/C:evil.md"), "leads out of the memory folder"),
    "a backslash": (rename("memory/MEMORY.md", "memory/..\\evil.md"), "leads out of the memory folder"),
    "another folder": (rename("memory/MEMORY.md", "config.json"), "leads out of the memory folder"),
    "a line break": (rename("memory/MEMORY.md", "memory/a\nb.md"), "leads out of the memory folder"),
    "a link": (link, "which is a link or a device"),
    "a file that is not listed": (add_file, "does not name"),
    "a file too few": (drop_file, "lacks memory/MEMORY.md"),
    "a bomb": (bomb, "which no memory does"),
    "a wrong size": (larger_than_listed, "has not the size"),
}


@pytest.mark.parametrize("what", ALTERED)
def test_an_altered_archive_is_refused_in_words_and_nothing_is_written(
    what: str, good: Path, tmp_path: Path, workspace: Path
):
    change, words = ALTERED[what]
    members = members_of(good)
    change(members)
    write(tmp_path / "bad.zip", members)
    with pytest.raises(InputError, match=words) as raised:
        import_archive(tmp_path / "bad.zip", workspace)
    assert raised.value.hint
    assert list(workspace.iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"bad.zip", "mine"}


def test_every_cut_and_every_flipped_byte_is_noticed(good: Path, tmp_path: Path, workspace: Path):
    data = good.read_bytes()
    bad = tmp_path / "bad.zip"
    for cut in (0, 1, 100, len(data) // 2, len(data) - 30, len(data) - 1):
        bad.write_bytes(data[:cut])
        with pytest.raises(InputError, match="no whole ZIP archive"):
            import_archive(bad, workspace)
    refused = 0
    whole = {name: content for name, (_, content) in members_of(good).items()}
    for place in range(11, len(data), 97):
        bad.write_bytes(data[:place] + bytes([data[place] ^ 0x41]) + data[place + 1 :])
        try:
            import_archive(bad, workspace, dry_run=True)
        except InputError:
            refused += 1
        else:  # a time, or a remark: what is in the files is the same
            assert {name: content for name, (_, content) in members_of(bad).items()} == whole
    assert refused > 20
    assert list(workspace.iterdir()) == []


def test_a_bomb_that_lies_about_its_size_stops_at_the_size_it_names(good: Path, tmp_path: Path, workspace: Path):
    members = members_of(good)
    info, data = members["memory/MEMORY.md"]
    members["memory/MEMORY.md"] = info, b"\0" * (30 << 20)
    write(tmp_path / "bad.zip", members)
    true, told = (30 << 20).to_bytes(4, "little"), len(data).to_bytes(4, "little")
    packed = (tmp_path / "bad.zip").read_bytes()
    assert packed.count(true) >= 2
    (tmp_path / "bad.zip").write_bytes(packed.replace(true, told))
    with pytest.raises(InputError, match=r"is damaged at memory/MEMORY\.md|is not what its hash says"):
        import_archive(tmp_path / "bad.zip", workspace)
    assert list(workspace.iterdir()) == []


def test_too_many_files_are_refused(good: Path, workspace: Path, monkeypatch):
    monkeypatch.setattr(archive_module, "MOST_FILES", 3)
    with pytest.raises(InputError, match="3 is the most"):
        import_archive(good, workspace)


def test_a_full_disk_is_told_before_anything_is_written(good: Path, workspace: Path, monkeypatch):
    import shutil

    monkeypatch.setattr(shutil, "disk_usage", lambda _path: shutil._ntuple_diskusage(10, 9, 1))
    with pytest.raises(InputError, match=r"1 are free .* Make room first"):
        import_archive(good, workspace)
    assert list(workspace.iterdir()) == []


def test_a_link_in_the_workspace_is_not_written_through(good: Path, tmp_path: Path, workspace: Path):
    (tmp_path / "outside").mkdir()
    (workspace / "memory").mkdir()
    (workspace / "memory" / "sessions").symlink_to(tmp_path / "outside")
    with pytest.raises(Exception, match=r"leads out of the memory folder"):
        import_archive(good, workspace)
    assert list((tmp_path / "outside").iterdir()) == []
