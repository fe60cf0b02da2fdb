"""Building every distribution, and checking what came out."""

import hashlib
import os
import shutil
from pathlib import Path

from release import contents, versions
from release.running import ReleaseError, run


def tree_problems(root: Path) -> list[str]:
    """Return why the checkout is not what a release is made of, one sentence each."""
    changed = run(["git", "status", "--porcelain"], folder=root).splitlines()
    return [f"The tree is not clean: {len(changed)} files differ, {changed[0][3:]} first."] if changed else []


def build(root: Path, out: Path) -> list[Path]:
    """Build a source distribution and a wheel of every distribution into a new folder; return the files.

    Each wheel is built from its source distribution, so that this is known to be whole. The times in the files are that
    of the last commit: who builds again gets the same bytes. Raises `ReleaseError`.
    """
    if out.exists():
        shutil.rmtree(out)
    moment = run(["git", "log", "-1", "--format=%ct"], folder=root).strip()
    variables = {**os.environ, "NANOBOT_RELEASE": "1", "SOURCE_DATE_EPOCH": moment}
    run(["uv", "build", "--quiet", "--all-packages", "--out-dir", out], folder=root, variables=variables)
    files = sorted(path for path in out.iterdir() if path.suffix in (".whl", ".gz"))
    expected = 2 * len(versions.project_files(root))
    if len(files) != expected:
        raise ReleaseError(f"{len(files)} files were built, and not {expected}.")
    return files


def check(root: Path, files: list[Path], version: str) -> None:
    """Look into every file. Raises `ReleaseError` with all that is wrong."""
    forbidden = contents.of_this_machine(root)
    wrong = [one for file in files for one in contents.problems(file, version, forbidden)]
    if wrong:
        raise ReleaseError("\n".join(wrong))


def check_with_twine(root: Path, files: list[Path]) -> str:
    """Let twine look at the files as the package index would; return what it says. Raises `ReleaseError`."""
    return run(["uv", "tool", "run", "--quiet", "twine", "check", "--strict", *files], folder=root)


def upload_list(files: list[Path]) -> list[str]:
    """Return one line a file: its SHA-256, its bytes, its name."""
    return [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.stat().st_size:>9,}  {file.name}" for file in files
    ]
