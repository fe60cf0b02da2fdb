"""An archive that is encrypted: nobody reads it without its passphrase, and a wrong one changes nothing.

Each use of a passphrase is costly on purpose, so that the archive of these tests is made once.
"""

import getpass
import io
import re
import sys
import zipfile
from pathlib import Path

import pyrage
import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.transfer.archive_import import import_archive
from nanobot_memory_plugins.core.transfer.encryption import WrongPassphraseError
from nanobot_memory_plugins.core.transfer.exporting import export_to
from tests.transfer.made_memory import make_memory
from tests.transfer.snapshots import snapshot

PASSPHRASE = "walnuts fall in 十月"


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("theirs")
    make_memory(folder)
    return folder


@pytest.fixture(scope="module")
def archive(theirs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encrypted archive, and beside it nothing, while it was made."""
    target = tmp_path_factory.mktemp("archive") / "a.zip.age"
    seen = set()

    def look(_part: object) -> None:
        seen.update(path.read_bytes() for path in target.parent.iterdir())

    export_to(target, theirs, passphrase=PASSPHRASE, progress=look)
    assert seen == {b""}  # the file that it is to be, empty until it is encrypted
    assert [path.name for path in target.parent.iterdir()] == ["a.zip.age"]
    return target


@pytest.fixture
def passphrase_file(tmp_path: Path) -> Path:
    file = tmp_path / "passphrase"
    file.write_text(f"{PASSPHRASE}\r\nanother line\n", encoding="utf-8")
    file.chmod(0o600)
    return file


def test_what_is_encrypted_is_a_file_of_age_that_holds_the_archive(archive: Path):
    data = archive.read_bytes()
    assert data.startswith(b"age-encryption.org/v1\n-> scrypt ")
    assert archive.stat().st_mode & 0o777 == 0o600
    with zipfile.ZipFile(io.BytesIO(pyrage.passphrase.decrypt(data, PASSPHRASE))) as packed:
        assert {"manifest.json", "memory/MEMORY.md"} <= set(packed.namelist())


def test_it_comes_back_as_it_was(archive: Path, theirs: Path, workspace: Path, passphrase_file: Path, capsys):
    words = ["--passphrase-file", str(passphrase_file), "--workspace", str(workspace)]
    assert run_command_line(["import", str(archive), *words]) == 0
    assert "an export of this memory (archive)" in capsys.readouterr().out
    there, here = snapshot(theirs), snapshot(workspace)
    assert {name: here[name] for name in there if not name.startswith(".locks/")} == {
        name: data for name, data in there.items() if not name.startswith(".locks/")
    }


def test_a_wrong_passphrase_is_said_and_changes_nothing(archive: Path, workspace: Path, tmp_path: Path, capsys):
    make_memory(workspace, word="maple")
    before = snapshot(workspace)
    (tmp_path / "wrong").write_text("chestnuts\n")
    (tmp_path / "wrong").chmod(0o600)
    words = ["--passphrase-file", str(tmp_path / "wrong"), "--workspace", str(workspace)]
    assert run_command_line(["--lang", "zh", "import", str(archive), *words]) == 1
    assert "a.zip.age 的密码不对" in capsys.readouterr().err
    assert snapshot(workspace) == before
    with pytest.raises(WrongPassphraseError, match="is encrypted"):
        import_archive(archive, workspace)


@pytest.mark.parametrize("where", ["header", "end", "inside"])
def test_one_that_was_cut_or_changed_is_refused_before_anything_is_read(
    where: str, archive: Path, workspace: Path, tmp_path: Path
):
    data = archive.read_bytes()
    changed = bytearray(data)
    changed[-400] ^= 1
    bad = tmp_path / "bad.zip.age"
    bad.write_bytes({"header": data[:90], "end": data[:-100], "inside": bytes(changed)}[where])
    with pytest.raises(InputError, match=r"no whole encrypted archive.*nothing was taken") as caught:
        import_archive(bad, workspace, passphrase=PASSPHRASE)
    assert not isinstance(caught.value, WrongPassphraseError)
    assert list(workspace.iterdir()) == []


def test_the_passphrase_is_asked_for_twice_and_never_a_word_of_the_command(
    theirs: Path, tmp_path: Path, monkeypatch, capsys
):
    export = ["export", "--encrypt", "--to", str(tmp_path / "b.zip.age"), "--workspace", str(theirs)]
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert run_command_line(export) == 2
    assert "no terminal at which the passphrase could be asked for" in capsys.readouterr().err
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    for typed, said in ((["one", "two"], "The two passphrases differ."), ([""], "No passphrase was typed.")):
        monkeypatch.setattr(getpass, "getpass", lambda _prompt, typed=typed: typed.pop(0))
        assert run_command_line(export) == 1
        assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert run_command_line(["export", "--help"]) == 0
    assert re.findall(r"--pass\S*", capsys.readouterr().out) == ["--passphrase-file"]


def test_without_the_extra_it_is_said_what_to_install(
    archive: Path, workspace: Path, passphrase_file, monkeypatch, capsys
):
    monkeypatch.setitem(sys.modules, "pyrage", None)
    words = ["--passphrase-file", str(passphrase_file), "--workspace", str(workspace)]
    assert run_command_line(["import", str(archive), *words]) == 2
    assert "pip install 'nanobot-memory-plugins[encryption]'" in capsys.readouterr().err
