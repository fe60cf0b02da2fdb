"""The change of one file as a commit of its git repository, and of nothing else."""

import os
import subprocess
from pathlib import Path

from nanobot_memory_plugins.core import logger

# Seconds for one git command; it waits for nobody.
_TIME_LIMIT = 10.0
_NAME, _ADDRESS = "nanobot-memory consolidation", "consolidation@nanobot-memory.invalid"


def commit_file(path: Path, roots: tuple[Path, ...], message: str) -> str:
    """Commit a file as it stands, when the top of its repository is one of ``roots``; return the commit, or nothing.

    What else is staged stays staged and is not committed. It blocks. No failure raises: it is logged, and the file
    stays as it is.
    """
    try:
        top = _git(path.parent, "rev-parse", "--show-toplevel")
        if not top or Path(top).resolve() not in {root.resolve() for root in roots}:
            return ""
        is_known = _git(path.parent, "ls-files", "--error-unmatch", "--", path.name) is not None
        if not is_known and _git(path.parent, "add", "--intent-to-add", "--", path.name) is None:
            return ""  # it is ignored: whoever did that does not want it here
        named = [] if _git(path.parent, "config", "user.email") else _identity()
        done = _git(
            path.parent, *named, "-c", "commit.gpgSign=false", "commit", "--quiet", "--no-verify", "--only",
            "--message", message, "--", path.name,
        )  # fmt: skip
        return (_git(path.parent, "rev-parse", "HEAD") or "") if done is not None else ""
    except (OSError, subprocess.SubprocessError) as error:
        logger.warning("consolidation: {} is not committed: {}", path.name, type(error).__name__)
        return ""


def _git(folder: Path, *arguments: str) -> str | None:
    """Return what a git command prints, or None when it fails."""
    # Variables of a git that calls us (a hook, a rebase) would lead to its repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(  # noqa: S603  # no shell, and the arguments are ours
        ["git", "-C", str(folder), *arguments],  # noqa: S607  # the user's git
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=_TIME_LIMIT,
        env={**environment, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_EDITOR": "true"},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        logger.debug("git {} ended with {}", arguments[0], done.returncode)
        return None
    return done.stdout.strip()


def _identity() -> list[str]:
    return ["-c", f"user.name={_NAME}", "-c", f"user.email={_ADDRESS}"]
