"""Generates the site's pages of all commands, in English and Chinese, from the commands themselves."""

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import typer
import typer.main

from nanobot_memory_plugins.core.cli.language import use_language
from nanobot_memory_plugins.core.cli.main import app
from nanobot_memory_plugins.core.cli.plain import PROGRAM
from nanobot_memory_plugins.core.entry_points import COMMAND_GROUP, installed_entry_points
from nanobot_memory_plugins.redaction.script.messages import tr

OURS = "nanobot-memory-"
# Options such as `--install-completion` are described at the head of the page.
LEFT_OUT = {"--help", "--install-completion", "--show-completion"}

HEAD = f"""# Command line

`{PROGRAM} COMMAND --help` says the same. Each command comes with the distribution that is named beside it.

- `--workspace DIR` names the agent's folder. Else it is `NANOBOT_MEMORY_WORKSPACE`, or the workspace of nanobot.
- `--config FILE` names the configuration. Else it is `NANOBOT_MEMORY_CONFIG`, `./config.json` or nanobot's own.
- `--json` prints one JSON object as the last line of standard output, and nothing else there. A failure is
  `{{"ok": false, "error": ..., "hint": ...}}`.
- The exit status is 0 when it was done, 1 when it failed, 130 after an interrupt, and 2 for wrong use: an unknown
  option, argument or value, a configuration that cannot be used, a part that is not installed. What is
  said begins with `nanobot-memory:`, or stands in the frame below the usage. Where a command needs nothing from an
  unreadable `config.json` it says so, and goes on with the defaults.
- Colours and bars are for terminals: a pipe gets plain text, and `NO_COLOR` is respected. Progress and warnings go to
  standard error.
- `{PROGRAM} --verbose COMMAND` shows the log and the place of an error.
- `nanobot-memory-redact`, of `nanobot-memory-redaction`, is the filter `redact` without all the rest, and checks
  files: [its README](../nanobot_memory_plugins/redaction/README.md).
- `{PROGRAM} --install-completion` teaches the shell (bash, zsh, fish, PowerShell) commands, options and values.

"""


CHINESE_HEAD = f"""# 命令行

`{PROGRAM} 命令 --help --lang zh` 显示的内容相同。命令行何时说中文，见[操作指南](how_to.md)。
每条命令旁边写着它来自哪个发行包。

- `--workspace 文件夹` 指定智能体的文件夹；不写则用 `NANOBOT_MEMORY_WORKSPACE`，再不然用 nanobot 的工作区。
- `--config 文件` 指定配置；不写则依次找 `NANOBOT_MEMORY_CONFIG`、`./config.json` 和 nanobot 自己的配置。
- `--json` 在标准输出的最后一行输出一个 JSON 对象，此外什么也不输出。失败时是
  `{{"ok": false, "error": ..., "hint": ...}}`。
- 退出码：0 完成，1 失败，2 用法不对，130 被中断。
- 颜色和进度条只在终端里有：管道里是纯文本，也遵守 `NO_COLOR`。进度和警告写到标准错误。
- `{PROGRAM} --verbose 命令` 会显示日志和出错的位置。
- `nanobot-memory-redaction` 里的 `nanobot-memory-redact` 就是过滤器 `redact`，不需要其他包，还能检查文件：
  见[它的说明](../../nanobot_memory_plugins/redaction/README.md)。
- `{PROGRAM} --install-completion` 让 shell（bash、zsh、fish、PowerShell）能补全命令、选项和值。

"""


@dataclass(frozen=True)
class Words:
    """The fixed texts of a page."""

    head: str
    usage: str
    columns: str
    required: str
    yes: str


ENGLISH = Words(HEAD, "`{usage}`, from `{brought}`", "| argument, option | default | meaning |", "required", "yes")
CHINESE = Words(CHINESE_HEAD, "`{usage}`，来自 `{brought}`", "| 参数、选项 | 默认值 | 含义 |", "必填", "是")


def page() -> str:
    """Return the whole page."""
    return _page(ENGLISH)


def chinese_page() -> str:
    """Return the whole page in Chinese, with the command line's own translations."""
    with use_language("zh"):
        return _page(CHINESE)


def _page(words: Words) -> str:
    return words.head + "\n".join(_section(name, command, brought, words) for name, command, brought in commands())


def commands() -> Iterator[tuple[str, Any, str]]:
    """Yield each command by name with its distribution, sub-commands after the name of their group."""
    group: Any = typer.main.get_command(app)
    brought = {point.name: point.distribution for point in installed_entry_points(COMMAND_GROUP)}
    context = typer.Context(group)
    for name in group.list_commands(context):
        if not brought.get(name, "").startswith(OURS):
            continue
        command = group.resolve_command(context, [name])[1]
        below = getattr(command, "commands", None)
        if below is None:
            yield name, command, brought[name]
        else:
            yield from ((f"{name} {one}", below[one], brought[name]) for one in below if not below[one].hidden)


def _section(name: str, command: Any, brought: str, words: Words) -> str:
    hints = get_type_hints(inspect.unwrap(command.callback))
    parameters = [one for one in command.params if not LEFT_OUT & set(one.opts)]
    arguments = [one for one in parameters if one.param_type_name == "argument"]
    usage = " ".join([PROGRAM, name, *(_metavar(one, hints) for one in arguments), tr("[OPTIONS]")])
    lines = [f"## {name}", "", words.usage.format(usage=usage, brought=brought), "", _help(command), ""]
    if parameters:
        lines += [words.columns, "|---|---|---|"]
        lines += [_row(one, hints, words) for one in parameters]
        lines.append("")
    return "\n".join(lines)


def _help(command: Any) -> str:
    text = inspect.cleandoc(command.help or "")
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _row(one: Any, hints: Mapping[str, Any], words: Words) -> str:
    if one.param_type_name == "argument":
        name = f"`{_metavar(one, hints)}`"
    else:
        flags = [*one.opts, *one.secondary_opts]
        flags.sort(key=lambda flag: not flag.startswith("--"))
        value = "" if one.is_flag else f" {_metavar(one, hints)}"
        name = f"`{flags[0]}{value}`" + "".join(f", `{flag}`" for flag in flags[1:])
    cells = (name, _default(one, words), tr(" ".join((one.help or "").split())))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _metavar(one: Any, hints: Mapping[str, Any]) -> str:
    if one.param_type_name == "argument":
        name = tr(one.metavar or str(one.name).upper())
        return (name if one.required else f"[{name}]") + ("..." if one.nargs != 1 else "")
    if one.metavar:
        return tr(one.metavar)
    kind = _plain(hints.get(one.name))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "|".join(str(choice.value) for choice in kind)
    if get_origin(kind) is Literal:
        return "|".join(map(str, get_args(kind)))
    return tr({int: "N", float: "NUMBER", Path: "PATH"}.get(kind, "TEXT"))


def _plain(hint: Any) -> Any:
    """Return the type of one value: ``X`` of ``X | None``, or the items of a list."""
    if get_origin(hint) in (Union, UnionType):
        hint = next(one for one in get_args(hint) if one is not NoneType)
    return get_args(hint)[0] if get_origin(hint) is list else hint


def _default(one: Any, words: Words) -> str:
    if one.required:
        return words.required
    default = getattr(one.default, "value", one.default)
    if default in (None, False, "", (), []) or callable(default):
        return ""
    return f"`{default}`" if default is not True else words.yes
