"""Write docs/command_line.md from the commands themselves. Run it after a command has changed."""

import inspect
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import typer
import typer.main

from nanobot_memory_plugins.core.cli.main import PROGRAM, app
from nanobot_memory_plugins.core.entry_points import COMMAND_GROUP, installed_entry_points

PAGE = Path(__file__).with_name("command_line.md")
OURS = "nanobot-memory-"
# What `--install-completion` and the like say stands in the head of the page.
LEFT_OUT = {"--help", "--install-completion", "--show-completion"}

HEAD = f"""# Command line

<!-- Written by docs/make_command_line.py from the commands themselves. -->

`{PROGRAM} COMMAND --help` says the same. Each command comes with the distribution that is named beside it.

- `--workspace DIR` names the agent's folder. Else it is `NANOBOT_MEMORY_WORKSPACE`, or the workspace of nanobot.
- `--config FILE` names the configuration. Else it is `NANOBOT_MEMORY_CONFIG`, `./config.json` or nanobot's own.
- `--json` prints one JSON object as the last line of standard output, and nothing else there. A failure is
  `{{"ok": false, "error": ..., "hint": ...}}`.
- The exit status is 0 when it was done, 1 when it failed, 2 for wrong use, 130 after an interrupt.
- On a terminal the lists of entries, profile and history end after 50 lines, and say how many more there are;
  `--all` shows them. In a pipe and in JSON they are whole.
- Colours and bars are for terminals: a pipe gets plain text, and `NO_COLOR` is respected. Progress and warnings go to
  standard error.
- `{PROGRAM} --verbose COMMAND`, or the variable `NANOBOT_MEMORY_DEBUG`, shows the log and the place of an error.
- `nanobot-memory-redact`, of `nanobot-memory-redaction`, is the filter `redact` without all the rest, and checks
  files: [its README](../nanobot_memory_plugins/redaction/README.md).
- `{PROGRAM} --install-completion` teaches the shell (bash, zsh, fish, PowerShell) commands, options, entry ids, groups
  and runs.

"""


def page() -> str:
    """Return the whole page."""
    return HEAD + "\n".join(_section(name, command, brought) for name, command, brought in commands())


def commands() -> Iterator[tuple[str, Any, str]]:
    """Yield each command of ours by name, sub-commands after their group's name, with its distribution."""
    group: Any = typer.main.get_command(app)
    brought = {point.name: point.distribution for point in installed_entry_points(COMMAND_GROUP)}
    context = typer.Context(group)
    for name in group.list_commands(context):
        if not brought.get(name, "").startswith(OURS):
            continue
        command = group.get_command(context, name)
        below = getattr(command, "commands", None)
        if below is None:
            yield name, command, brought[name]
        else:
            yield from ((f"{name} {one}", below[one], brought[name]) for one in below)


def _section(name: str, command: Any, brought: str) -> str:
    hints = get_type_hints(inspect.unwrap(command.callback))
    parameters = [one for one in command.params if not LEFT_OUT & set(one.opts)]
    arguments = [one for one in parameters if one.param_type_name == "argument"]
    usage = " ".join([PROGRAM, name, *(_metavar(one, hints) for one in arguments), "[OPTIONS]"])
    lines = [f"## {name}", "", f"`{usage}`, from `{brought}`", "", _help(command), ""]
    if parameters:
        lines += ["| argument, option | default | meaning |", "|---|---|---|"]
        lines += [_row(one, hints) for one in parameters]
        lines.append("")
    return "\n".join(lines)


def _help(command: Any) -> str:
    text = inspect.cleandoc(command.help or "")
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _row(one: Any, hints: Mapping[str, Any]) -> str:
    if one.param_type_name == "argument":
        name = f"`{_metavar(one, hints)}`"
    else:
        flags = [*one.opts, *one.secondary_opts]
        flags.sort(key=lambda flag: not flag.startswith("--"))
        value = "" if one.is_flag else f" {_metavar(one, hints)}"
        name = f"`{flags[0]}{value}`" + "".join(f", `{flag}`" for flag in flags[1:])
    cells = (name, _default(one), " ".join((one.help or "").split()))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _metavar(one: Any, hints: Mapping[str, Any]) -> str:
    if one.metavar:
        return str(one.metavar)
    if one.param_type_name == "argument":
        return str(one.name).upper()
    kind = _plain(hints.get(one.name))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "|".join(str(choice.value) for choice in kind)
    if get_origin(kind) is Literal:
        return "|".join(map(str, get_args(kind)))
    return {int: "N", float: "NUMBER", Path: "PATH"}.get(kind, "TEXT")


def _plain(hint: Any) -> Any:
    """Return the type of one value: that of ``X | None``, and of the items of a list."""
    if get_origin(hint) in (Union, UnionType):
        hint = next(one for one in get_args(hint) if one is not NoneType)
    return get_args(hint)[0] if get_origin(hint) is list else hint


def _default(one: Any) -> str:
    if one.required:
        return "required"
    default = getattr(one.default, "value", one.default)
    if default in (None, False, "", (), []) or callable(default):
        return ""
    return f"`{default}`" if default is not True else "yes"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
