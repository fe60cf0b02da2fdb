"""What ``python -m release`` checks before anybody uploads anything."""

import io
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.parser import BytesParser
from pathlib import Path

import pytest

from release import building, changelog, contents, versions
from release.__main__ import ready
from release.running import ReleaseError, run
from tests.support.each import each

ROOT = Path(__file__).parents[2]
READY = "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-05-08\n\n### Added\n\n- A thing.\n"
METADATA = """Metadata-Version: 2.4
Name: nanobot-memory-core
Version: 1.2.3
Summary: The core.
License-Expression: MIT
License-File: LICENSE
Requires-Python: >=3.11
Requires-Dist: pluggy>=1.5
Description-Content-Type: text/markdown

About it.
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that holds what says its version."""
    folder = tmp_path / "checkout"
    for file in versions.project_files(ROOT):
        copy = folder / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True)
        shutil.copy(file, copy)
    versions.set_version(folder, "1.2.3")
    (folder / "CHANGELOG.md").write_text(READY, encoding="utf-8")
    commit = ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "All"]
    for command in (["init", "--quiet"], ["add", "."], commit):
        run(["git", *command], folder=folder)
    return folder


@each(
    ("text", "words"),
    [
        (READY, []),
        (READY.replace("[1.2.3]", "[1.2.2]"), ["no section [1.2.3]: rename [Unreleased]"]),
        (READY.replace(" - 2026-05-08", ""), ["has no day"]),
        (READY.replace("- A thing.", ""), ["says nothing"]),
        (READY.replace("[Unreleased]\n", "[Unreleased]\n\n- More.\n"), ["still holds changes"]),
    ],
)
def test_the_changelog_must_have_a_dated_section_and_nothing_that_is_not_released(text, words):
    found = changelog.problems(text, "1.2.3")
    assert len(found) == len(words)
    assert all(word in one for word, one in zip(words, found, strict=True))


def test_all_distributions_here_are_of_one_version_and_carry_the_licence():
    assert versions.problems(ROOT) == []
    licence = (ROOT / "LICENSE").read_bytes()
    assert [file for file in versions.project_files(ROOT) if (file.parent / "LICENSE").read_bytes() != licence] == []


def test_the_version_is_set_in_every_distribution_by_one_command(checkout):
    versions.set_version(checkout, "2.0.0rc1")
    assert versions.version_of(checkout) == "2.0.0rc1"
    assert versions.problems(checkout) == []
    assert {one["version"] for one in versions.projects(checkout).values()} == {"2.0.0rc1"}
    text = (checkout / "nanobot_memory_plugins" / "recall" / "pyproject.toml").read_text(encoding="utf-8")
    assert '"nanobot-memory-core==2.0.*"' in text
    with pytest.raises(ValueError, match="no version"):
        versions.set_version(checkout, "2.0")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('version = "1.2.3"', 'version = "1.2.4"', "nanobot-memory-recall is 1.2.4"),
        ("nanobot-memory-core==1.2.*", "nanobot-memory-core==1.1.*", "not nanobot-memory-core==1.2"),
        ("nanobot-memory-core==1.2.*", "nanobot-memory-core-extra", r"not nanobot-memory-core-extra==1.2"),
    ],
)
def test_a_distribution_that_does_not_agree_is_named(checkout, old, new, words):
    file = checkout / "nanobot_memory_plugins" / "recall" / "pyproject.toml"
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    (found,) = versions.problems(checkout)
    assert words in found


def test_a_checkout_is_ready_only_as_it_was_committed(checkout):
    assert ready(checkout) == []
    (checkout / "new.py").write_text("", encoding="utf-8")
    (found,) = ready(checkout)
    assert "not clean" in found
    assert "new.py" in found


def test_this_checkout_is_not_released_by_mistake(tmp_path):
    """Without a dated section nothing is built; with one, this test is to be turned to the next version."""
    if not changelog.problems((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), versions.version_of(ROOT)):
        pytest.skip("CHANGELOG.md has the section of this version")
    done = subprocess.run(
        [sys.executable, "-m", "release", "--out", str(tmp_path / "dist")],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "no section" in done.stderr
    assert not (tmp_path / "dist").exists()


def wheel(folder: Path, files: dict[str, str]) -> Path:
    path = folder / "nanobot_memory_core-1.2.3-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return path


def good() -> dict[str, str]:
    info = "nanobot_memory_core-1.2.3.dist-info"
    return {
        "nanobot_memory_plugins/core/__init__.py": '"""The core."""',
        f"{info}/METADATA": METADATA,
        f"{info}/licenses/LICENSE": "MIT License",
    }


def test_a_wheel_with_all_that_belongs_into_it_is_let_through(tmp_path):
    assert contents.problems(wheel(tmp_path, good()), "1.2.3", [b"/home/builder"]) == []


def test_a_source_distribution_is_looked_into_as_well(tmp_path):
    path = tmp_path / "nanobot_memory_core-1.2.3.tar.gz"
    with tarfile.open(path, "w:gz") as packed:
        for name, text in {"c/PKG-INFO": METADATA, "c/LICENSE": "MIT License", "c/a.py": "x = '/home/builder'"}.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            packed.addfile(info, io.BytesIO(text.encode()))
    (found,) = contents.problems(path, "1.2.3", [b"/home/builder"])
    assert "c/a.py" in found


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("core/__init__.py", "The core.", "/home/builder/x", "names /home/builder"),
        ("core/__init__.py", "The core.", "https://packages.example.org/simple/", "address of a package index"),
        ("core/__init__.py", "The core.", "https://ann:secret@example.org", "address of a package index"),
        ("LICENSE", "MIT License", "", "no licence in it"),
        ("METADATA", "1.2.3", "1.2.4", "of version 1.2.4"),
        ("METADATA", "License-Expression: MIT\n", "", "names no licence"),
        ("METADATA", "License-File: LICENSE\n", "", "no License-File"),
        ("METADATA", "Summary: The core.\n", "", "no Summary"),
        ("METADATA", "About it.", "", "has no description"),
        ("METADATA", "pluggy>=1.5", "core @ file:///home/ann/core", "no package index takes"),
        ("METADATA", "pluggy>=1.5", "pluggy>>1.5", "not valid"),
    ],
)
def test_what_may_not_be_in_a_wheel_is_named(tmp_path, file, old, new, words):
    files = {name: text.replace(old, new) if name.endswith(file) else text for name, text in good().items()}
    found = contents.problems(wheel(tmp_path, files), "1.2.3", [b"/home/builder"])
    assert any(words in one for one in found), found


@pytest.mark.parametrize("name", ["nanobot_memory_plugins/__init__.py", "nanobot_memory_plugins/core/a.pyc", ".env"])
def test_files_that_do_harm_are_named(tmp_path, name):
    (found,) = contents.problems(wheel(tmp_path, {**good(), name: ""}), "1.2.3", [])
    assert name in found or "namespace" in found


def test_the_umbrella_built_from_its_source_distribution_needs_versions_and_no_folders(tmp_path):
    variables = {name: value for name, value in os.environ.items() if name != "NANOBOT_RELEASE"}
    build = ["uv", "build", "--quiet", "--out-dir", tmp_path]
    run([*build, "--sdist"], folder=ROOT, variables={**variables, "NANOBOT_RELEASE": "1"})
    (source,) = tmp_path.glob("*.tar.gz")
    run([*build, "--wheel", source], folder=tmp_path, variables=variables)
    (made,) = tmp_path.glob("*.whl")
    needed = next(data for name, data in contents.members(made) if name.endswith("METADATA"))
    assert f"nanobot-memory-core=={versions.version_of(ROOT)}" in BytesParser().parsebytes(needed).get_all(
        "Requires-Dist"
    )
    version = versions.version_of(ROOT)
    assert [one for file in (source, made) for one in contents.problems(file, version, [])] == []
    assert not [name for name, _ in contents.members(source) if name.endswith(".py") and "hatch_build" not in name]


def test_a_program_that_fails_says_which_and_why(tmp_path):
    with pytest.raises(ReleaseError, match=r"failed with 3:\nno luck"):
        run([sys.executable, "-c", "import sys; sys.exit(print('no luck') or 3)"], folder=tmp_path)
    with pytest.raises(ReleaseError, match="is not installed"):
        run(["nanobot-memory-no-such-program"], folder=tmp_path)
    with pytest.raises(ReleaseError, match="did not end within"):
        run([sys.executable, "-c", "import time; time.sleep(60)"], folder=tmp_path, seconds=0.2)


def test_the_list_names_every_file_with_its_hash(tmp_path):
    (tmp_path / "a.whl").write_bytes(b"abc")
    (line,) = building.upload_list([tmp_path / "a.whl"])
    assert line.split() == ["ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "3", "a.whl"]


@pytest.mark.skipif(not os.environ.get("NANOBOT_MEMORY_LONG"), reason="NANOBOT_MEMORY_LONG=1 runs it: some minutes")
def test_the_whole_release_on_this_python(tmp_path):
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    output = run(
        [sys.executable, "-m", "release", "--rehearsal", "--out", tmp_path / "dist", "--python", python], folder=ROOT
    )
    assert f"Python {python}:" in output
    assert f"{2 * len(versions.project_files(ROOT))} files in" in output
