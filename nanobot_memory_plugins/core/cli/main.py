"""The console script ``nanobot-memory``.

Its commands are the entry points of the group ``nanobot_memory_commands``. Each is imported only when it is called, so
that a command that cannot be imported does not break the others.
"""

import contextlib
import errno
import io
import os
import re
import sys
import traceback
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated, Any

import typer
import typer.main

from nanobot_memory_plugins.core.cli.command_group import CommandGroup
from nanobot_memory_plugins.core.cli.language import chosen_language, locale_language, use_language
from nanobot_memory_plugins.core.cli.options import print_json
from nanobot_memory_plugins.core.cli.plain import (
    DONE,
    FAILED,
    INTERRUPTED,
    PROGRAM,
    WRONG_USE,
    exit_status,
    say,
    say_notice,
)
from nanobot_memory_plugins.core.errors import InputError, NanobotMemoryError
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.redaction.script.messages import Sentence, join_sentences, tr
from nanobot_memory_plugins.redaction.script.printable import printable

# For a faster start: pydantic would search every distribution for pydantic plugins, and numpy would start threads.
_STARTUP_ENVIRONMENT = {"PYDANTIC_DISABLE_PLUGINS": "__all__", "OPENBLAS_NUM_THREADS": "1"}

# Typer's messages about wrong use, without the full stop; the first template that matches is used.
_TYPER_ERRORS = (
    "{said} (Possible options: {near})",
    "No such option: {name}",
    "No such command {name}. Did you mean {near}?",
    "No such command {name}",
    "Missing argument {name}",
    "Missing option {name}",
    "Option {name} requires an argument",
    "Option {name} does not take a value",
    "Got unexpected extra argument(s) ({words})",
    "Invalid value for {name}: {why}",
    "Invalid value: {why}",
    "Input should be a valid integer, unable to parse string as an integer",
    "Input should be greater than or equal to {least}",
    "Input should be less than or equal to {most}",
    "file {path} does not exist",
    "file {path} is a directory",
    "directory {path} is a file",
    "{value} is not one of {values}",
)

app = typer.Typer(
    name=PROGRAM,
    cls=CommandGroup,
    help="Long-term memory for agents: look at it, search it, repair it.",
    epilog="Exit status: 0 done, 1 it failed, 2 wrong use.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(requested: bool) -> None:
    if requested:
        say(f"{PROGRAM} {version('nanobot-memory-core')}")
        raise typer.Exit


@app.callback()
def global_options(
    verbose: Annotated[bool, typer.Option("--verbose", help="Log everything, and show tracebacks.")] = False,
    _lang: Annotated[
        str,
        typer.Option(
            "--lang",
            metavar="LANGUAGE",
            help="Speak this language: en or zh. Else as core.language or the locale says.",
        ),
    ] = "",
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Set up the log, before any command."""
    configure_log(verbose)


def configure_log(verbose: bool) -> None:
    """Send the log to standard error: warnings, or with ``verbose`` everything.

    Only the command line does this; a library leaves it to its host. Loguru's ``diagnose`` is off because it would
    print the values of variables, secrets among them.
    """
    settings: dict[str, Any] = {
        "level": "DEBUG" if verbose else "WARNING",
        "format": "{time:HH:mm:ss.SSS} {level: <7} {name}: {message}"
        if verbose
        else "<level>{level: <7}</level> {message}",
        "diagnose": False,
        "backtrace": False,
        "colorize": sys.stderr.isatty() and not os.environ.get("NO_COLOR"),
    }
    if "loguru" in sys.modules:
        logger.remove()
        # Looked up at each message, since sys.stderr may have been replaced and closed in the meantime.
        logger.add(lambda message: print(message, end="", file=sys.stderr), **settings)  # noqa: T201
    else:  # loguru reads the same settings from the environment when the first logger imports it
        os.environ.update({f"LOGURU_{name.upper()}": str(value) for name, value in settings.items()})


def main() -> None:
    """Run the command line on this process's arguments, and exit."""
    for name, value in _STARTUP_ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    sys.exit(run_command_line(sys.argv[1:]))


def run_command_line(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status: 0 done, 1 it failed, 2 wrong use, 130 interrupted.

    Its messages are in the language that the user chose; ``--lang`` may come anywhere among the arguments.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # on Windows pipes have another encoding
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        language, arguments = chosen_language(arguments)
    except InputError as error:
        with use_language(locale_language()):
            _report_failure(arguments, error, error.cause, error.hint)
        return WRONG_USE
    with use_language(language):
        code = _run(arguments)
        if code == INTERRUPTED:
            with contextlib.suppress(OSError):
                say_notice(tr("Interrupted."))
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            _redirect_to_devnull(stream)
    return code


def _run(arguments: Sequence[str]) -> int:
    try:
        code = typer.main.get_command(app).main(args=list(arguments), prog_name=PROGRAM, standalone_mode=False)
        return code if isinstance(code, int) else DONE
    except SystemExit as leaving:  # raised for shell completion
        return leaving.code if isinstance(leaving.code, int) else DONE
    except (KeyboardInterrupt, typer.Abort):  # Abort is raised when a question is not answered
        return INTERRUPTED
    except NanobotMemoryError as error:
        _report_failure(arguments, error, error.cause, error.hint or _hint_for(error.__cause__))
        return exit_status(error)
    except OSError as error:
        if error.errno in (errno.EPIPE, errno.EINVAL):  # the reader of our output has gone; EINVAL on Windows
            return FAILED
        return _report_failure(
            arguments, error, f"{error.strerror or type(error).__name__}: {error.filename or ''}".rstrip(": ")
        )
    except Exception as error:
        if hasattr(error, "format_message"):  # Click's errors for wrong use; Typer contains a copy of Click
            return _report_wrong_use(arguments, error)
        place = traceback.extract_tb(error.__traceback__)[-1]
        what = Sentence(
            "Unexpected {error} at {file}:{line}.", error=type(error).__name__, file=place.filename, line=place.lineno
        )
        return _report_failure(
            arguments, error, what, Sentence("`nanobot-memory --verbose ...` shows more; please report it.")
        )


def _report_wrong_use(arguments: Sequence[str], error: Any) -> int:
    """Print what is wrong with the arguments, or the help of a group that was called without a command."""
    context = getattr(error, "ctx", None)
    if context is not None and type(error).__name__ == "NoArgsIsHelpError":
        error.show()
    else:
        command = context.command_path if context is not None else PROGRAM
        said = _parse_typer_message(printable(error.format_message()).replace("Value error, ", "").rstrip(" .。\n"))
        cause = said if said.endswith(("?", "？")) else Sentence("{said}.", said=said)
        _report_failure(arguments, error, cause, Sentence("`{command} --help` shows how it is used.", command=command))
    return WRONG_USE


def _parse_typer_message(text: str) -> Sentence:
    """Return an English message of Typer as a sentence that can be translated."""
    for template in _TYPER_ERRORS:
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(template))
        if found := re.fullmatch(pattern, text):
            return Sentence(
                template,
                # The other placeholders hold what the user typed.
                **{k: _parse_typer_message(v) if k in ("said", "why") else v for k, v in found.groupdict().items()},
            )
    return Sentence(text)


def _hint_for(cause: BaseException | None) -> str:
    """Return a hint for an error of the operating system, or an empty string."""
    number = cause.errno if isinstance(cause, OSError) else None
    if number in (errno.ENOSPC, errno.EDQUOT):
        return Sentence("Free disk space, then do it again.")
    if number in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Sentence("Nothing was changed. Make the file and its folder writable, then do it again.")
    if number in (errno.EEXIST, errno.ENOTDIR):
        return Sentence("`nanobot-memory doctor` says which file it is, and how to move it aside.")
    return ""


def _report_failure(arguments: Sequence[str], error: Exception, cause: str, hint: str = "") -> int:
    """Print the cause and the hint on one line, and with ``--json`` as JSON, too; return the exit status."""
    if "--verbose" in arguments:
        typer.echo(printable("".join(traceback.format_exception(error))), err=True)
    with contextlib.suppress(OSError):
        say_notice(join_sentences(cause, hint))
        if "--json" in arguments:
            print_json({"ok": False, "error": cause, "hint": hint})
    return FAILED


def _redirect_to_devnull(stream: Any) -> None:
    """Redirect a stream whose reader has gone to the null device, so that Python's last flush does not fail."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, stream.fileno())
        os.close(null_device)
