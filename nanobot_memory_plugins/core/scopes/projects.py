"""Which project a folder is of: the repository that it lies in, the same for every clone and work tree of it."""

import os
import re
import subprocess
from contextlib import suppress
from pathlib import Path

from nanobot_memory_plugins.core.errors import WrongUseError
from nanobot_memory_plugins.redaction.script.messages import Sentence

_SECONDS = 10.0
_BREAKS = re.compile(r"[:/\\]+")
# Also of a repository of another user, as in a container: what is asked runs nothing of it.
_OF_ANYBODY = ("-c", "safe.directory=*")


def project_of(folder: str | Path) -> str:
    """Return the name of the repository that a folder lies in, or nothing where it lies in none. It blocks.

    The name is "owner/name" of the address from which it was cloned, else the folder's. A repository that is the home
    folder itself holds settings, and is no project.
    """
    try:
        common = Path(git(folder, *_OF_ANYBODY, "rev-parse", "--path-format=absolute", "--git-common-dir"))
    except (OSError, subprocess.SubprocessError):  # no repository, or no git
        return ""
    repository = common.parent if common.name == ".git" else common
    if repository == Path(os.path.expanduser("~")).resolve():  # Path.home raises where there is none
        return ""
    with suppress(OSError, subprocess.SubprocessError):  # it was cloned from nowhere
        # The last two parts of an address, without what precedes an "@": that may hold a password.
        address = git(folder, *_OF_ANYBODY, "config", "--get", "remote.origin.url").rpartition("@")[2]
        parts = [part for part in _BREAKS.split(address) if part][-2:]
        if len(parts) == 2:
            return f"{parts[0]}/{parts[1].removesuffix('.git')}"
    return repository.name


def git(folder: str | Path, *arguments: str) -> str:
    """Return what git answers in a folder. Raises `OSError` and `subprocess.SubprocessError`. It blocks."""
    # Variables of a git that calls us (a hook, a rebase) would lead to its repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-C", os.path.expanduser(folder), *arguments]
    done = subprocess.run(  # noqa: S603  # no shell
        command, capture_output=True, timeout=_SECONDS, env=environment, stdin=subprocess.DEVNULL, check=True
    )
    return done.stdout.decode("utf-8", "replace").strip()


def named_project(value: str) -> str:
    """Return the project that an option names: that of a folder, as ``.``, or the name itself.

    Raises `WrongUseError` for a folder that is in no repository.
    """
    if not value.startswith((".", "/", "~")):
        return value.strip()
    found = project_of(value)
    if not found:
        raise WrongUseError(
            Sentence("{value} lies in no repository.", value=value), hint="Give the project's name instead."
        )
    return found
