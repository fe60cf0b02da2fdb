"""Running other programs, in words when they fail."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path


class ReleaseError(Exception):
    """Why there can be no release, for people."""


def run(
    command: Sequence[str | Path], *, folder: Path, variables: Mapping[str, str] | None = None, seconds: float = 1_800
) -> str:
    """Return the standard output of a program. Raises `ReleaseError` when it fails, with its last words."""
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
    """Return the words before and behind a lone ``--``."""
    place = words.index("--") if "--" in words else len(words)
    return words[:place], words[place + 1 :]


def run_in_folder(main: Callable[[Path], None]) -> None:
    """Run a script's ``main`` in the folder that its first argument names, or in a temporary one.

    A `ReleaseError` ends the process with what it says.
    """
    try:
        if len(sys.argv) > 1:
            main(Path(sys.argv[1]).absolute())
        else:
            # What a client has started may still write there when it is taken away.
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
                main(Path(made))
    except ReleaseError as failed:
        sys.exit(f"{failed}")
