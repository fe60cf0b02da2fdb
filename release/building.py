"""Builds every distribution, and checks the files."""

import hashlib
import os
import shutil
from pathlib import Path

from release import contents, versions
from release.running import ReleaseError, run


def tree_problems(root: Path) -> list[str]:
    """Return why a release cannot be built from the checkout, one sentence each."""
    changed = run(["git", "status", "--porcelain"], folder=root).splitlines()
    return [f"The tree is not clean: {len(changed)} files differ, {changed[0][3:]} first."] if changed else []


def build(root: Path, out: Path) -> list[Path]:
    """Build a source distribution and a wheel of every distribution into a new folder, and return the files.

    Each wheel is built from its source distribution, which proves that this is complete. The times in the files are
    that of the last commit, so that every build gives the same bytes. Raises `ReleaseError`.
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
    """Check the contents of every file. Raises `ReleaseError` with all problems."""
    forbidden = contents.machine_traces(root)
    found = [one for file in files for one in contents.problems(file, version, forbidden)]
    if found:
        raise ReleaseError("\n".join(found))


def check_with_twine(root: Path, files: list[Path]) -> str:
    """Check the files with twine, as the package index would, and return its output. Raises `ReleaseError`."""
    return run(["uv", "tool", "run", "--quiet", "twine", "check", "--strict", *files], folder=root)


def upload_list(files: list[Path]) -> list[str]:
    """Return one line per file with its SHA-256, size and name."""
    return [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.stat().st_size:>9,}  {file.name}" for file in files
    ]
