"""The commands of the command line, found through entry points and imported only when they are called."""

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
"""Commands that an extra of the umbrella distribution installs, with the name of that extra."""


class CommandGroup(typer.core.TyperGroup):
    """Lists the entry points of ``nanobot_memory_commands`` and imports the one that is called.

    An entry point names a function or a `typer.Typer`. If two distributions define the same name, this project's own
    command is used.
    """

    @cached_property
    def entry_points(self) -> dict[str, InstalledEntryPoint]:
        """The commands' entry points by name."""
        return entry_points_by_name(COMMAND_GROUP)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return sorted(self.entry_points)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a placeholder with the command's help, for lists of commands; the command is not imported."""
        point = self.entry_points.get(cmd_name)
        return typer.core.TyperCommand(cmd_name, help=tr(help_summary(point))) if point is not None else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the command that the arguments name.

        Raises `WrongUseError` for an unknown command, with the extra that contains it or the most similar name as its
        hint, and `PluginError` for a command that cannot be imported; the others still work.
        """
        name = args[0] if args else "-"
        if name in self.entry_points:
            return name, translate_help(_load_command(self.entry_points[name])), args[1:]
        if name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        if name in EXTRA_COMMANDS:
            extra = EXTRA_COMMANDS[name]
            raise WrongUseError(
                Sentence("{what} is in nanobot-memory-{extra}, which is not installed.", what=name, extra=extra),
                hint=Sentence("Install it: pip install 'nanobot-memory-plugins[{extra}]'", extra=extra),
            )
        near = get_close_matches(name, self.entry_points, n=1)
        raise WrongUseError(
            Sentence("There is no command {name}.", name=name),
            hint=Sentence("Did you mean {near}?", near=near[0]) if near else "`nanobot-memory --help` lists them.",
        )

    def make_context(self, *arguments: Any, **extra: Any) -> Any:
        """Parse the arguments, after translating the help."""
        translate_help(self)
        return super().make_context(*arguments, **extra)


def help_summary(point: InstalledEntryPoint) -> str:
    """Return the first paragraph of a command's help, or an empty string. It parses the source and does not run it."""
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
            case ast.FunctionDef(name=defined) if defined == name:
                text = ast.get_docstring(node) or ""
            case ast.Assign(targets=[ast.Name(id=defined)], value=ast.Call(keywords=options)) if defined == name:
                values = [option.value for option in options if option.arg == "help"]
                text = next((str(value.value) for value in values if isinstance(value, ast.Constant)), "")
    return " ".join(text.partition("\n\n")[0].split())


def _load_command(point: InstalledEntryPoint) -> Any:
    """Import the command that an entry point names. Raises `PluginError` with the reason if that fails."""
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
    """Turn an entry point's target, a function or a `typer.Typer`, into a Click command."""
    if not isinstance(target, typer.Typer):
        if not callable(target):
            raise PluginError("the entry point names neither a function nor a typer.Typer")
        command_app = typer.Typer(add_completion=False)
        command_app.command(name)(target)
        return typer.main.get_command(command_app)
    group = typer.main.get_group(target)
    group.name = name
    return group


def translate_help(command: Any) -> Any:
    """Translate the help of a command, its options and its subcommands in place; return the command."""
    command.rich_markup_mode = None  # Rich's tables cut off words that are too long for their column
    command.help, command.epilog = _translate(command.help), _translate(command.epilog)
    for parameter in command.params:
        parameter.help = _translate(getattr(parameter, "help", None))
        parameter.metavar = _translate(parameter.metavar)
    for subcommand in getattr(command, "commands", {}).values():
        translate_help(subcommand)
    return command


def _translate(text: str | None) -> str | None:
    """Translate a help text paragraph by paragraph; a paragraph without a translation stays as it is."""
    paragraphs = [(one, " ".join(one.split())) for one in (text or "").split("\n\n")]
    return "\n\n".join(one if tr(line) == line else tr(line) for one, line in paragraphs) if text else text
