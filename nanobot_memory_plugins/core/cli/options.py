"""The options and helpers that commands share: workspace, configuration, scope, dates, JSON output."""

import json
import os
import shlex
import sys
from collections.abc import Coroutine, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from nanobot_memory_plugins.core.cli.plain import say_notice
from nanobot_memory_plugins.core.errors import ConfigurationError, InputError, MemoryFileError, WrongUseError
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr
from nanobot_memory_plugins.redaction.script.printable import escape_json

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.config.models import ConfigProblem, MemoryConfig
    from nanobot_memory_plugins.core.values import Scope, Visibility

# The hint for a missing workspace.
NO_WORKSPACE = Sentence(
    "`nanobot-memory init` makes it, after `nanobot onboard`; or name the agent's folder with --workspace."
)
# The environment variable that names the workspace if --workspace is not given.
WORKSPACE_VARIABLE = "NANOBOT_MEMORY_WORKSPACE"

WorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        "-w",
        metavar="DIR",
        help="The agent's folder. Else NANOBOT_MEMORY_WORKSPACE, or the workspace of nanobot.",
        file_okay=False,
        readable=False,
    ),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        "-c",
        metavar="FILE",
        help="The configuration. Else NANOBOT_MEMORY_CONFIG, ./config.json or nanobot's own.",
        exists=True,
        dir_okay=False,
        readable=False,
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object, as the last line of standard output, instead of text.")
]

UserOption = Annotated[
    str, typer.Option("--user", metavar="NAME", help="Only what is this user's: telegram:111, or as in core.people.")
]
SessionOption = Annotated[str, typer.Option("--session", metavar="KEY", help="Only what is of this session.")]

EverybodyOption = Annotated[
    bool, typer.Option("--everybody", help="It is for all who may write to the agent, not for its owner alone.")
]
ProjectOption = Annotated[
    str,
    typer.Option("--project", metavar="NAME", help="A project, or a folder such as . for that of its repository."),
]
SinceOption = Annotated[
    str,
    typer.Option("--since", metavar="DAY", help="Only from this day, month, year or time on (2026-02-16, yesterday)."),
]
UntilOption = Annotated[str, typer.Option("--until", metavar="DAY", help="Only up to the end of this one.")]

_Result = TypeVar("_Result")


def resolve_workspace(given: Path | None, *, environment: Mapping[str, str] = os.environ, guess: bool = False) -> Path:
    """Return the workspace: ``given``, NANOBOT_MEMORY_WORKSPACE, the one in nanobot's configuration, or the default.

    The path is absolute, with ``~`` expanded; the folder need not exist. If nanobot's configuration cannot be read, it
    raises `ConfigurationError`, since the default may be the wrong memory; with ``guess`` it returns the default.
    """
    named = given or environment.get(WORKSPACE_VARIABLE) or _nanobot_workspace(guess=guess)
    return Path(os.path.expanduser(named)).absolute()


def existing_workspace(given: Path | None, *, may_be_new: bool = False) -> Path:
    """Return the workspace of a command that reads or changes a memory. Nothing is created.

    Raises `InputError` if the folder does not exist, unless it ``may_be_new``, and `MemoryFileError` if there is a file
    in place of the memory folder or this user may not read one of the folders.
    """
    folder = resolve_workspace(given)
    if not folder.is_dir() and (not may_be_new or os.path.lexists(folder)):
        raise InputError(
            Sentence("There is no workspace at {folder}.", folder=folder),
            hint=NO_WORKSPACE,
        )
    memory = folder / "memory"
    for path in (folder, memory, memory / "sessions"):
        if os.path.isdir(path) and not os.access(path, os.R_OK | os.X_OK):
            raise MemoryFileError(
                Sentence("{path} cannot be read by this user.", path=path),
                hint=Sentence("`chmod -R u+rwX {path}`, as the user whose folder it is.", path=shlex.quote(str(path))),
            )
    if os.path.lexists(memory) and not memory.is_dir():
        raise MemoryFileError(
            Sentence("{path} is a file, where the folder of the memory belongs.", path=memory),
            hint=Sentence("`nanobot-memory doctor` says how to move it aside."),
        )
    return folder


def _nanobot_workspace(*, guess: bool) -> str | Path:
    from nanobot_memory_plugins.core.config.json_file import nanobot_config_file, read_json, value_at

    file = nanobot_config_file()
    raw, wrong = read_json(file)
    if wrong and not guess and os.path.lexists(file):
        raise ConfigurationError(
            Sentence("{file} says where the memory is, and cannot be used: {why}.", file=file, why=wrong),
            hint="Repair that file, or name the agent's folder with --workspace.",
        )
    named = value_at(raw, "agents", "defaults", "workspace")
    return named if isinstance(named, str) and named else file.with_name("workspace")


def owner_scope(workspace: Path, *, everybody: bool = False) -> "Scope":
    """Return the scope of what a command stores: the workspace's owner, if the host names one, else everybody."""
    from nanobot_memory_plugins.core.config.reading import load_config
    from nanobot_memory_plugins.core.scopes.scopes import workspace_scopes
    from nanobot_memory_plugins.core.values import Scope

    return Scope() if everybody else workspace_scopes(workspace, load_config()).of_owner()


def requested_scope(
    workspace: Path, config: "MemoryConfig | None" = None, *, user: str, session: str, project: str = ""
) -> "Scope | Visibility":
    """Return the scope that a command reads, as its options say: everything, or what belongs to a user or session."""
    from nanobot_memory_plugins.core.values import Scope

    if not user:
        return Scope(session=session, project=project)

    from nanobot_memory_plugins.core.config.reading import load_config
    from nanobot_memory_plugins.core.scopes.scopes import workspace_scopes

    return workspace_scopes(workspace, config or load_config()).owned_by(user, session=session, project=project)


def configuration_of(given: Path | None) -> "MemoryConfig":
    """Return the configuration of `load_config` without its problems, which are printed."""
    from nanobot_memory_plugins.core.config.reading import load_config

    config = load_config(given)
    print_problems(config.problems)
    return config.model_copy(update={"problems": ()})


def print_problems(problems: "Iterable[ConfigProblem]") -> None:
    """Print configuration problems to standard error, one a line."""
    for problem in problems:
        message = tr(problem.message)
        where = f" ({problem.source})" if problem.source and problem.source not in message else ""
        say_notice(tr("configuration: {problem}{where}", problem=message, where=where))


def print_json(answer: Mapping[str, Any]) -> None:
    """Print one JSON object on a line, its control characters escaped. Paths and dates become strings."""
    encoded = json.dumps(answer, ensure_ascii=False, default=_json_default)
    # A lone surrogate, from a file name that is not UTF-8, cannot be encoded.
    sys.stdout.write(escape_json(encoded.encode("utf-8", errors="replace").decode()) + "\n")
    sys.stdout.flush()


def _json_default(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, (set, frozenset)) else str(value)


def run(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Run a command's coroutine on a new event loop and return its result."""
    import asyncio

    return asyncio.run(work)


def date_bounds(since: str, until: str) -> tuple[datetime | None, datetime | None]:
    """Return the first and the last moment that ``--since`` and ``--until`` name, None for an empty value.

    Raises `WrongUseError` if one is not a date, or if the first is after the last.
    """
    first, last = parse_date_option("--since", since, end=False), parse_date_option("--until", until, end=True)
    if first is not None and last is not None and first > last:
        raise WrongUseError("--since is after --until.", hint="Exchange them.")
    return first, last


def parse_date_option(option: str, text: str, *, end: bool) -> datetime | None:
    """Parse the date or time that an option was given: the start of the day, or with ``end`` its end; None if empty.

    Words such as "yesterday" are relative to now. Raises `WrongUseError` if the text is not a date.
    """
    from nanobot_memory_plugins.core.text.days import parse_moment

    try:
        return parse_moment(text, end=end, now=datetime.now().astimezone()) if text else None
    except ValueError as error:
        raise WrongUseError(
            Sentence("{option} {text}: {why}.", option=option, text=text, why=error.args[0]),
            hint="Write 2026-02-16, 2026-02, 2026, yesterday, last Friday or a time.",
        ) from error
