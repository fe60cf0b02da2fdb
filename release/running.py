"""Runs other programs, and reports their failures in readable form."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path


class ReleaseError(Exception):
    """The reason why a release or a trial failed, as a sentence for people."""


def run(
    command: Sequence[str | Path], *, folder: Path, variables: Mapping[str, str] | None = None, seconds: float = 1_800
) -> str:
    """Return the standard output of a program. Raises `ReleaseError` with the end of its output when it fails."""
    words = [str(part) for part in command]
    try:
        done = subprocess.run(
            words, cwd=folder, env=dict(variables if variables is not None else os.environ), timeout=seconds,
            capture_output=True, text=True, encoding="utf-8", errors="replace", check=False,
        )  # fmt: skip
    except FileNotFoundError as error:
        raise ReleaseError(f"{words[0]} is not installed.") from error
    except subprocess.TimeoutExpired as error:
        raise ReleaseError(f"`{' '.join(words)}` did not end within {seconds:.0f} s.") from error
    if done.returncode:
        said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-20:])
        raise ReleaseError(f"`{' '.join(words)}` failed with {done.returncode}:\n{said}")
    return done.stdout


def split_at_dashes(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return the words before and after ``--``."""
    place = words.index("--") if "--" in words else len(words)
    return words[:place], words[place + 1 :]


def run_in_folder(main: Callable[[Path], None]) -> None:
    """Run a script's ``main`` in the folder of its first argument, or in a temporary one.

    A `ReleaseError` ends the process with its message.
    """
    try:
        if len(sys.argv) > 1:
            main(Path(sys.argv[1]).absolute())
        else:
            # A client's child process may still write to the folder while it is being deleted.
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
                main(Path(made))
    except ReleaseError as failed:
        sys.exit(f"{failed}")
