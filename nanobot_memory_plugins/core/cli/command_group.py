"""The group of commands that entry points bring, each imported when it is called."""

import ast
import importlib.util
from difflib import get_close_matches
from functools import cached_property
from importlib.abc import InspectLoader
from typing import Any, Final

import typer
import typer.core
import typer.main

from nanobot_memory_plugins.core.entry_points import COMMAND_GROUP, InstalledEntryPoint, entry_points_by_name
from nanobot_memory_plugins.core.errors import PluginError, WrongUseError
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

EXTRA_COMMANDS: Final = {
    "bench": "tools",
    "connect": "mcp",
    "demo": "tools",
    "eval": "tools",
    "mcp": "mcp",
    "panel": "panel",
    "postgres": "postgres",
}
"""The commands that come with an extra of the umbrella distribution, and the extra of each."""


class CommandGroup(typer.core.TyperGroup):
    """Lists the entry points of ``nanobot_memory_commands`` and imports the one that is called.

    An entry point names a function or a `typer.Typer`. Where two distributions bring the same name, this project's own
    comes first.
    """

    @cached_property
    def found(self) -> dict[str, InstalledEntryPoint]:
        """The entry points of commands by name."""
        return entry_points_by_name(COMMAND_GROUP)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return sorted(self.found)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return what stands for a command in a list, with its help; it is not imported."""
        point = self.found.get(cmd_name)
        return typer.core.TyperCommand(cmd_name, help=tr(summary_of(point))) if point is not None else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the command that the arguments name; an unknown one is answered with its extra, or the nearest.

        Raises `PluginError` for one that cannot be imported, which costs only itself.
        """
        name = args[0] if args else "-"
        if name in self.found:
            return name, translate_help(_loaded(self.found[name])), args[1:]
        if name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        if name in EXTRA_COMMANDS:
            extra = EXTRA_COMMANDS[name]
            raise WrongUseError(
                Sentence("{what} is in nanobot-memory-{extra}, which is not installed.", what=name, extra=extra),
                hint=Sentence("Install it: pip install 'nanobot-memory-plugins[{extra}]'", extra=extra),
            )
        near = get_close_matches(name, self.found, n=1)
        raise WrongUseError(
            Sentence("There is no command {name}.", name=name),
            hint=Sentence("Did you mean {near}?", near=near[0]) if near else "`nanobot-memory --help` lists them.",
        )

    def make_context(self, *arguments: Any, **extra: Any) -> Any:
        """Read the arguments, with the help in the reader's language."""
        translate_help(self)
        return super().make_context(*arguments, **extra)


def summary_of(point: InstalledEntryPoint) -> str:
    """Return the first paragraph of a command's help as its source has it, or nothing. The source is not run."""
    module, _, name = point.value.partition(":")
    try:
        spec = importlib.util.find_spec(module)
        source = spec.loader.get_source(module) if spec and isinstance(spec.loader, InspectLoader) else ""
        body = ast.parse(source or "").body
    except (ImportError, SyntaxError, ValueError):
        return ""
    text = ""
    for node in body:
        match node:
            case ast.FunctionDef(name=found) if found == name:
                text = ast.get_docstring(node) or ""
            case ast.Assign(targets=[ast.Name(id=found)], value=ast.Call(keywords=options)) if found == name:
                values = [option.value for option in options if option.arg == "help"]
                text = next((str(value.value) for value in values if isinstance(value, ast.Constant)), "")
    return " ".join(text.partition("\n\n")[0].split())


def _loaded(point: InstalledEntryPoint) -> Any:
    """Return the command that an entry point names. Raises `PluginError` with what is wrong."""
    try:
        return _build_command(point.name, point.load())
    except Exception as error:
        reason = error.cause if isinstance(error, PluginError) else type(error).__name__
        if isinstance(error, ModuleNotFoundError) and error.name:
            reason = Sentence("the module {name} is missing", name=error.name)
        message = Sentence(
            "The command cannot be loaded from {distribution} {version}: {reason}.",
            distribution=point.distribution,
            version=point.version,
            reason=reason,
        )
        raise PluginError(message, hint=Sentence("Reinstall or remove {name}.", name=point.distribution)) from error


def _build_command(name: str, target: Any) -> Any:
    """Make a command of what an entry point names."""
    if not isinstance(target, typer.Typer):
        if not callable(target):
            raise PluginError("the entry point names neither a function nor a typer.Typer")
        holder = typer.Typer(add_completion=False)
        holder.command(name)(target)
        return typer.main.get_command(holder)
    group = typer.main.get_group(target)
    group.name = name
    return group


def translate_help(command: Any) -> Any:
    """Put the help of a command, its options and its sub-commands into the reader's language; return the command."""
    command.rich_markup_mode = None  # its tables cut off what has no spaces to break at
    command.help, command.epilog = _translated(command.help), _translated(command.epilog)
    for parameter in command.params:
        parameter.help = _translated(getattr(parameter, "help", None))
        parameter.metavar = _translated(parameter.metavar)
    for below in getattr(command, "commands", {}).values():
        translate_help(below)
    return command


def _translated(text: str | None) -> str | None:
    """Return a help text in the reader's language, paragraph by paragraph; what has no translation stays."""
    flat = [(one, " ".join(one.split())) for one in (text or "").split("\n\n")]
    return "\n\n".join(one if tr(line) == line else tr(line) for one, line in flat) if text else text
