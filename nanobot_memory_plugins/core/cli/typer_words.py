"""What Typer says of its own accord, in the reader's language: headings of the help, usage, errors in the use.

Typer has no catalogue of its own. Its headings are looked up in ours; its errors, which are made of values, are known
by their shape.
"""

import re
import sys
from collections.abc import Callable
from functools import cache, partial
from typing import Any, Final

from nanobot_memory_plugins.core.cli.warnings_shown import patterns
from nanobot_memory_plugins.redaction.script.messages import tr

# Names in `typer.rich_utils` of the texts that it reads when it draws, and options that it adds.
_DRAWN: Final = (
    "DEPRECATED_STRING",
    "DEFAULT_STRING",
    "ENVVAR_STRING",
    "REQUIRED_LONG_STRING",
    "ARGUMENTS_PANEL_TITLE",
    "OPTIONS_PANEL_TITLE",
    "COMMANDS_PANEL_TITLE",
    "ERRORS_PANEL_TITLE",
    "RICH_HELP",
)
_RICH: Final = "typer.rich_utils"
_MAKES_TEXT: Final = "_make_rich_text"

HEADINGS: Final = (
    "(deprecated) ",
    "[default: {}]",
    "[env var: {}]",
    "[required]",
    "Arguments",
    "Options",
    "Commands",
    "Error",
    "Try [blue]'{command_path} {help_option}'[/] for help.",
    "Show this message and exit.",
    "Install completion for the current shell.",
    "Show completion for the current shell, to copy it or customize the installation.",
)
"""What they say in English."""

_VALUE: Final = re.compile(r"'([^']+)'")

# What newer versions of Typer show: <list[str]>, <int range>, <list[light|heavy]>...
_TYPE: Final = re.compile(r"<(?:list\[(?P<of>[^\]]*)\]|(?P<name>[^\]>]*))>(?:\.\.\.)?")
VALUE_WORDS: Final = {"str": "TEXT", "int": "NUMBER", "float": "NUMBER", "path": "PATH", "file": "FILE", "dir": "DIR"}
"""What stands for a value, by its type in Python."""

USAGE: Final = ("Usage: ", "[OPTIONS]", "COMMAND [ARGS]...", "[ARGS]...", "COMMAND")
"""What a line of usage is made of, beside names."""

# The more particular one first. Groups are said in the reader's language too.
ERRORS: Final = (
    "No such command '{name}'. Did you mean '{near}'?",
    "No such command '{name}'.",
    "No such option: {name} (Possible options: {more})",
    "No such option: {name}",
    "Missing argument {name}. Choose from:{known}",
    "Missing argument {name}.",
    "Missing option {name}. Choose from:{known}",
    "Missing option {name}.",
    "Missing command.",
    "Invalid value for {name}: {why}",
    "Invalid value: {why}",
    "Option {name} requires an argument.",
    "Option {name} requires {count} arguments.",
    "Option {name} does not take a value.",
    "Argument {name} takes {count} values.",
    "Got unexpected extra argument(s) ({more})",
    "Got unexpected extra argument ({more})",
    "Got unexpected extra arguments ({more})",
    "Could not open file {name}: {why}",
    "{value} does not match the formats {formats}.",
    "{value} does not match the format {formats}.",
    "{value} is not one of {known}.",
    "Value {value} is not a valid {kind}.",
    "file {name} does not exist.",
    "dir {name} does not exist.",
    "path {name} does not exist.",
    "file {name} is a directory.",
    "path {name} is a directory.",
    "dir {name} is a file.",
    "path {name} is a file.",
    "File {name} does not exist.",
    "Directory {name} does not exist.",
    "Path {name} does not exist.",
    "File {name} is a directory.",
    "Path {name} is a directory.",
    "Directory {name} is a file.",
    "Path {name} is a file.",
    "File {name} is not readable.",
    "Input should be a valid integer, unable to parse string as an integer",
    "Input should be a valid number, unable to parse string as a number",
    "Input should be greater than or equal to {limit}",
    "Input should be less than or equal to {limit}",
    "Input should be greater than {limit}",
    "Input should be less than {limit}",
    "Input should be {known}",
)


def use_reader_language(command: Any) -> Any:
    """Let the help of a command, its options and its sub-commands be in the reader's language; return the command.

    So are the names of what stands for a value (``FILE``): those of our catalogues, in other people's commands, too.
    """
    command.help = _paragraphs(command.help)
    command.epilog = _paragraphs(command.epilog)
    command.get_params = _said_parameters(command.get_params)
    command.get_usage = _said_usage(command.get_usage)
    for below in getattr(command, "commands", {}).values():
        use_reader_language(below)
    return command


def say_error_in_reader_language(error: Any) -> None:
    """Let an error in the use of the command line be in the reader's language."""
    said = told_error(error.format_message())
    error.format_message = lambda: said


def told_error(text: str) -> str:
    """Return an error of Typer in the reader's language; one of another shape as it is."""
    text = text.removeprefix("Value error, ")  # pydantic's, of a check of ours
    for template, pattern in patterns(ERRORS):
        if found := pattern.fullmatch(text):
            said = {name: told_error(value) for name, value in found.groupdict().items()}
            return tr(template, **(said | {"known": _with_names(said["known"])} if "known" in said else said))
    return text


def _with_names(known: str) -> str:
    """Return the values that there are, each with its name in the reader's language, which is taken as well."""
    return _VALUE.sub(_with_name, known)


def _with_name(value: re.Match[str]) -> str:
    name = tr(value[1])
    return value[0] if name == value[1] else f"{value[0]} ({name})"


def _paragraphs(text: str | None) -> str | None:
    """Return a help text paragraph by paragraph, in the reader's language where it is known."""
    return "\n\n".join(_paragraph(one) for one in text.split("\n\n")) if text else text


def _paragraph(text: str) -> str:
    flat = " ".join(text.split())
    said = tr(flat)
    return text if said == flat else said


def _said_parameters(listed: Callable[[Any], list[Any]]) -> Callable[[Any], list[Any]]:
    def in_reader_language(context: Any) -> list[Any]:
        found = listed(context)
        for one in found:
            if text := getattr(one, "help", None):
                one.help = _paragraph(text)
            if metavar := getattr(one, "metavar", None):
                one.metavar = tr(metavar)
            shown = getattr(one, "display_type_rich", None)
            if shown is not None and getattr(shown, "func", None) is not _said_type:
                one.display_type_rich = partial(_said_type, one, shown)
        return found

    return in_reader_language


def _said_type(parameter: Any, shown: Callable[..., str | None], ctx: Any) -> str | None:
    """Return what stands for a value in the help: a word instead of the name of a type in Python.

    Values to choose from stay, as ``<light|heavy>``. A switch has none, and an argument has its name.
    """
    if getattr(parameter, "is_flag", False):
        return ""
    text = shown(ctx=ctx)
    found = _TYPE.fullmatch(text or "")
    if found is None:
        return text
    name = (found["of"] or found["name"]).removesuffix(" range")
    if name not in VALUE_WORDS:
        return f"<{name}>"
    is_named = getattr(parameter, "param_type_name", "") == "argument" and parameter.metavar
    return "" if is_named else tr(VALUE_WORDS[name])


def _said_usage(made: Callable[[Any], str]) -> Callable[[Any], str]:
    def in_reader_language(context: Any) -> str:
        _say_headings()  # whoever draws the usage draws the rest next
        text = made(context)
        for word in USAGE:
            text = text.replace(word, tr(word), 1)
        return text

    return in_reader_language


def _say_headings() -> None:
    """Put the headings of help and errors into the reader's language, where Typer has loaded what draws them."""
    if (drawing := sys.modules.get(_RICH)) is not None:
        for name, text in _headings():
            setattr(drawing, name, tr(text))
        make = getattr(drawing, _MAKES_TEXT, None)
        if make is not None and make.__module__ == _RICH:
            setattr(drawing, _MAKES_TEXT, _folding(make))


@cache
def _folding(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return what makes a text that goes on in the next line where it has no blank, as in Chinese: else it is cut."""

    def made(**given: Any) -> Any:
        text = make(**given)
        text.overflow = "fold"
        return text

    return made


@cache
def _headings() -> tuple[tuple[str, str], ...]:
    return tuple((name, getattr(sys.modules[_RICH], name)) for name in _DRAWN)
