"""Finds the command lines in the documents, and checks them against the program."""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import typer
import typer.main

from nanobot_memory_plugins.core.cli.main import app
from release.checks.pages import read

PROGRAM = "nanobot-memory"
# An assignment before a command.
_VARIABLE = re.compile(r"[A-Z_]+=\S*")
_OPTIONAL = re.compile(r"\[(?=[A-Z一-鿿-])[^\[\]]*\](?:\.\.\.)?")
_SHELL = ("", "sh", "bash", "shell", "console")


@dataclass(frozen=True)
class CommandLine:
    """One command of a document, without variables and `uv run`. ``is_whole`` says that it is in a code block."""

    page: str
    words: tuple[str, ...]
    is_whole: bool
    group: str = ""

    def __str__(self) -> str:
        return f"{self.page}: {' '.join(self.words)}"

    @property
    def is_ours(self) -> bool:
        """Whether the command calls this program."""
        return self.words[0] == PROGRAM

    @property
    def arguments(self) -> tuple[str, ...]:
        """The words after the program's name."""
        return self.words[1:]


def command_lines(path: Path) -> Iterator[CommandLine]:
    """Yield the commands of a page: the lines of shell blocks, and the commands in backticks."""
    page = read(path)
    for language, text, _ in page.code:
        if language in _SHELL:
            for line in text.replace("\\\n", " ").splitlines():
                yield from _commands(path.name, line, is_whole=True)
    for span in page.spans:
        if span.startswith((f"{PROGRAM} ", "uv ", "make ", "python ", "pip ", "NANOBOT_")):
            yield from _commands(path.name, span, is_whole=False)


def _commands(page: str, line: str, *, is_whole: bool) -> Iterator[CommandLine]:
    for part in line.split("&&"):
        try:
            words = shlex.split(_OPTIONAL.sub("", part), comments=True)
        except ValueError:
            continue  # not a command, but a sentence or a diagram
        group = ""
        while words and _VARIABLE.fullmatch(words[0]):
            words = words[1:]
        if words[:2] == ["uv", "run"]:
            words = words[2:]
            if words[:1] == ["--group"]:
                group, words = words[1], words[2:]
        for cut in ("<", ">", "|"):
            words = words[: words.index(cut)] if cut in words else words
        if words and words[0] in (PROGRAM, "pytest", "python", "make", "pip", "nanobot"):
            alternatives = [
                word.split("|") if re.fullmatch(r"[a-z][a-z-]*(\|[a-z][a-z-]*)+", word) else [word] for word in words
            ]
            for chosen in product(*alternatives):
                yield CommandLine(page, chosen, is_whole, group)


def fault_of(line: CommandLine) -> str:
    """Return the problem of a command of ours, such as an unknown option or a wrong value, or an empty text."""
    command = _program()
    context = typer.Context(command)
    rest = list(line.arguments)
    rest = rest[1:] if rest[:1] == ["help"] else rest  # `help COMMAND` is `COMMAND --help`
    while rest and rest[0].startswith("-"):
        if rest[0] not in _flags(command):
            return f"{PROGRAM} has no option {rest[0]}"
        rest = rest[1:]
    while hasattr(command, "commands") or isinstance(command, typer.core.TyperGroup):
        if not rest or rest[0] in ("COMMAND", "命令", "--help"):
            return ""
        subcommand = _subcommand(command, context, rest[0])
        if subcommand is None:
            return f"there is no command {rest[0]}"
        command, context, rest = subcommand, typer.Context(subcommand, parent=context, info_name=rest[0]), rest[1:]
    rest = [word for word in rest if word != "--help"]
    try:
        command.make_context(command.name, rest, parent=context.parent)
    except Exception as error:  # typer exports no common class of usage errors
        name = type(error).__name__
        is_cut_short = name == "MissingParameter" or (name == "BadOptionUsage" and "requires an argument" in str(error))
        return "" if is_cut_short and not line.is_whole else f"{name}: {error}"
    return ""


@cache
def _program() -> Any:
    return typer.main.get_command(app)


_subcommands: dict[tuple[int, str], Any] = {}


def _subcommand(command: Any, context: typer.Context, name: str) -> Any:
    """Return a command of a group, looked up among the installed commands once per process."""
    if (id(command), name) not in _subcommands:
        _subcommands[id(command), name] = command.resolve_command(context, [name])[1]
    return _subcommands[id(command), name]


def _flags(command: Any) -> Sequence[str]:
    return [flag for one in command.params for flag in one.opts] + ["--help"]
