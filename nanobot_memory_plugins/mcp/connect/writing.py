"""Writing our server into the file of a client: a preview, a backup, and nothing where something is not understood."""

import difflib
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core import ConfigurationError, redact_text
from nanobot_memory_plugins.core.config import ConfigChange, read_json, set_config_keys
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import replace_file
from nanobot_memory_plugins.mcp.connect.known_clients import SERVER, KnownClient
from nanobot_memory_plugins.mcp.connect.toml_table import parsed, table_at, with_table
from nanobot_memory_plugins.redaction.script.messages import Sentence

_PROGRAM = "nanobot-memory"
_MODULE = "nanobot_memory_plugins.core.cli"
_TOML = ".toml"


@dataclass(frozen=True, slots=True)
class Connection:
    """What the file of a client is to hold."""

    client: KnownClient
    file: Path
    entry: Mapping[str, Any]

    def preview(self) -> ConfigChange:
        """Return what would change, and write nothing. Raises `ConfigurationError`."""
        self._check_known()
        return self._toml(write=False) if self.file.suffix == _TOML else self._json(dry_run=True)

    def write(self) -> ConfigChange:
        """Write it, in one step and with a backup. Raises `ConfigurationError`."""
        self._check_known()
        return self._toml(write=True) if self.file.suffix == _TOML else self._json(dry_run=False)

    def _json(self, *, dry_run: bool) -> ConfigChange:
        place, values = (self.client.place, SERVER), dict(self.entry)
        return set_config_keys(self.file, place, values, create=True, dry_run=dry_run)

    def _toml(self, *, write: bool) -> ConfigChange:
        before = self._text()
        try:
            after = with_table(before, (self.client.place, SERVER), self.entry)
        except ConfigurationError as error:
            raise ConfigurationError(
                Sentence("{path}: {why}", path=self.file, why=error.cause), hint=error.hint
            ) from error
        if not write or after == before:
            return ConfigChange(self.file, before, after)
        there = self.file.exists()

        def unchanged() -> None:
            if self._text() != before:
                raise MemoryFileError("another program has just changed it")

        try:
            replace_file(self.file, after.encode("utf-8"), ready=unchanged)
        except (MemoryFileError, OSError) as error:
            raise ConfigurationError(
                Sentence("{file} cannot be changed: {error}.", file=self.file, error=error), hint="Try again."
            ) from error
        return ConfigChange(self.file, before, after, self.file.with_name(f"{self.file.name}.bak") if there else None)

    def _text(self) -> str:
        try:
            with self.file.open(encoding="utf-8", newline="") as file:
                return file.read()
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8"
            raise ConfigurationError(
                Sentence("{file} cannot be read: {reason}.", file=self.file, reason=reason), hint="It is left as it is."
            ) from error

    def _check_known(self) -> None:
        """Refuse to change an entry of our name that is not of our making. Raises `ConfigurationError`."""
        there = table_at(self._content(), (self.client.place, SERVER))
        if there is None:
            return
        words = [there.get("command"), *_list(there.get("args"))] if isinstance(there, Mapping) else []
        ours = any(isinstance(word, str) and (Path(word).stem == _PROGRAM or word == _MODULE) for word in words)
        if not ours or not set(there) <= {*self.entry, "env", "cwd"}:
            raise ConfigurationError(
                Sentence(
                    "{file} has a server {server} already, which was not written by this command.",
                    file=self.file,
                    server=SERVER,
                ),
                hint="Remove or rename it there, then run this again.",
            )

    def _content(self) -> Mapping[str, Any]:
        if not self.file.exists():
            return {}
        if self.file.suffix == _TOML:
            try:
                return parsed(self._text())
            except ConfigurationError as error:
                raise ConfigurationError(
                    Sentence("{path}: {why}", path=self.file, why=error.cause), hint=error.hint
                ) from error
        raw, wrong = read_json(self.file)
        if wrong or not isinstance(raw, Mapping):
            raise ConfigurationError(
                Sentence("{path}: {why}.", path=self.file, why=wrong or Sentence("an object is expected")),
                hint="Add the entry by hand, or correct the file; it is left as it is.",
            )
        return raw


def diff_of(change: ConfigChange) -> str:
    """Return what changes as a unified diff, or nothing; secrets that stand beside it are hidden."""
    before, after = change.before.splitlines(), change.after.splitlines()
    lines = difflib.unified_diff(before, after, str(change.path), f"{change.path} (new)", n=1, lineterm="")
    return redact_text("\n".join(lines))


def server_command(workspace: Path, config: Path | None, user: str, owner: str) -> tuple[str, list[str]]:
    """Return the command by which a client starts the server, in full: programs of a desktop have no search path."""
    more = ["mcp", "--workspace", str(workspace)]
    more += ["--config", str(config.expanduser().absolute())] if config is not None else []
    more += ["--user", user] if user not in ("", owner) else []
    program = shutil.which(_PROGRAM, path=str(Path(sys.executable).parent))
    return (program, more) if program else (sys.executable, ["-m", _MODULE, *more])


def file_of(client: KnownClient, given: Path | None, project: Path | None, usual: Path) -> Path:
    """Return the file of a client: ``given``, that of a project, or its usual one. Raises `ConfigurationError`."""
    if given is not None:
        return given.expanduser().absolute()
    if project is not None:
        if not client.project:
            raise ConfigurationError(
                Sentence("{title} keeps nothing in a project.", title=client.title), hint="Leave --project out."
            )
        return project / client.project
    return usual


def make_folder(client: KnownClient, file: Path, *, is_of_project: bool) -> None:
    """Make the folder of a project's file. Raises `ConfigurationError` where a client has none: it is not installed."""
    if file.parent.is_dir():
        return
    if not is_of_project:
        raise ConfigurationError(
            Sentence(
                "There is no folder {parent}: {title} is not installed, or was never started.",
                parent=file.parent,
                title=client.title,
            ),
            hint="Start it once, or name its file with --file.",
        )
    try:
        file.parent.mkdir()
    except OSError as error:
        raise ConfigurationError(
            Sentence("{parent} cannot be made: {why}.", parent=file.parent, why=error.strerror), hint="Make it by hand."
        ) from error


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()
