"""Which project a folder is of: the repository that it lies in, the same for every clone and work tree of it."""

import re
from pathlib import Path

from nanobot_memory_plugins.core.errors import WrongUseError
from nanobot_memory_plugins.core.files.reading import open_regular
from nanobot_memory_plugins.redaction.script.messages import Sentence

# What is read of a repository's configuration.
_MOST_BYTES = 1 << 16
_REMOTE = re.compile(r'^\[remote "origin"\]\s*\n(?:[ \t]+[^\n]*\n)*?[ \t]+url\s*=\s*(\S+)', re.MULTILINE)
_BREAKS = re.compile(r"[:/\\]+")


def project_of(folder: str | Path) -> str:
    """Return the name of the repository that a folder lies in, or nothing where it lies in none. It blocks.

    The name is "owner/name" of the address from which it was cloned, else the folder's. A repository that is the home
    folder itself holds settings, and is no project.
    """
    try:
        start, home = Path(folder).expanduser().resolve(), Path.home().resolve()
        for place in (start, *start.parents):
            if place == home:
                break
            if (repository := _repository(place / ".git")) is not None:
                return _name(repository)
    except (OSError, RuntimeError):
        pass
    return ""


def project_named(value: str) -> str:
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


def _repository(mark: Path) -> Path | None:
    """Return the folder of a repository's data, that of the main one where this is a work tree of it."""
    if mark.is_dir():
        return mark if (mark / "HEAD").exists() else None
    if not mark.is_file():
        return None
    own = mark.parent / _read(mark).removeprefix("gitdir:").strip()
    common = own / "commondir"
    return (own / _read(common).strip()).resolve() if common.is_file() else own.resolve()


def _name(repository: Path) -> str:
    config = repository / "config"
    remote = _REMOTE.search(_read(config)) if config.is_file() else None
    # The last two parts of an address, without what precedes an "@": that may hold a password.
    parts = [part for part in _BREAKS.split(remote[1].rpartition("@")[2]) if part][-2:] if remote is not None else []
    if len(parts) == 2:
        return f"{parts[0]}/{parts[1].removesuffix('.git')}"
    return repository.parent.name if repository.name == ".git" else repository.name


def _read(path: Path) -> str:
    with open_regular(path) as file:
        return file.read(_MOST_BYTES).decode("utf-8", "replace")
