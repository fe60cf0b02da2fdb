"""The project of a folder: the name of its repository, which is the same for every clone and work tree."""

import os
import re
import subprocess
from contextlib import suppress
from pathlib import Path

from nanobot_memory_plugins.core.errors import WrongUseError
from nanobot_memory_plugins.redaction.script.messages import Sentence

_TIMEOUT_SECONDS = 10.0
_ADDRESS_SEPARATORS = re.compile(r"[:/\\]+")
# Accept a repository of another user, as in a container: these commands run no code of the repository.
_ANY_OWNER = ("-c", "safe.directory=*")


def project_of(folder: str | Path) -> str:
    """Return the name of a folder's repository, or "" if it is in none. This blocks.

    The name is "owner/name" of the address that it was cloned from, else that of its folder. A repository in the home
    folder itself holds settings, and is not a project.
    """
    try:
        git_folder = Path(git(folder, *_ANY_OWNER, "rev-parse", "--path-format=absolute", "--git-common-dir"))
    except (OSError, subprocess.SubprocessError):  # no repository, or no git
        return ""
    repository = git_folder.parent if git_folder.name == ".git" else git_folder
    if repository == Path(os.path.expanduser("~")).resolve():  # Path.home raises if there is none
        return ""
    with suppress(OSError, subprocess.SubprocessError):  # there may be no remote
        # The last two parts of the address; whatever precedes an "@" may contain a password.
        address = git(folder, *_ANY_OWNER, "config", "--get", "remote.origin.url").rpartition("@")[2]
        parts = [part for part in _ADDRESS_SEPARATORS.split(address) if part][-2:]
        if len(parts) == 2:
            return f"{parts[0]}/{parts[1].removesuffix('.git')}"
    return repository.name


def git(folder: str | Path, *arguments: str) -> str:
    """Return the output of a git command in a folder. This blocks. Raises `OSError`, `subprocess.SubprocessError`."""
    # The variables of a git that calls us (a hook, a rebase) would point to its repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-C", os.path.expanduser(folder), *arguments]
    result = subprocess.run(  # noqa: S603  # no shell
        command, capture_output=True, timeout=_TIMEOUT_SECONDS, env=environment, stdin=subprocess.DEVNULL, check=True
    )
    return result.stdout.decode("utf-8", "replace").strip()


def named_project(value: str) -> str:
    """Return the project that an option names, as a folder (such as ``.``) or by its name.

    Raises `WrongUseError` for a folder that is not in a repository.
    """
    if not value.startswith((".", "/", "~")):
        return value.strip()
    project = project_of(value)
    if not project:
        raise WrongUseError(
            Sentence("{value} is not in a repository.", value=value), hint="Give the project's name instead."
        )
    return project
