"""``nanobot-memory config``: the options, where each value comes from, and the values that are allowed."""

import json
import shlex
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from nanobot_memory_plugins.core.cli.console import console, escape
from nanobot_memory_plugins.core.cli.options import ConfigOption, JsonOption, print_json, print_problems
from nanobot_memory_plugins.core.config.mapping import config_from_mapping
from nanobot_memory_plugins.core.config.models import ConfigProblem, MemoryConfig
from nanobot_memory_plugins.core.config.names import OPTION_BY_PATH, snake_path
from nanobot_memory_plugins.core.config.options import describe_options, plugin_options
from nanobot_memory_plugins.core.config.reading import installed_plugins, load_config
from nanobot_memory_plugins.core.config.wording import nearest_name
from nanobot_memory_plugins.core.config.writing import set_plugin_options
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.host.discovery import discover_plugins
from nanobot_memory_plugins.redaction import redact_text
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

config = typer.Typer(
    help="The options: their values, where each comes from, and which values are allowed.", no_args_is_help=True
)


@dataclass(frozen=True, slots=True)
class _Option:
    """One option with its current value.

    ``key`` is ``<plugin>.<option>`` in camelCase. ``allowed`` describes the allowed values. ``set_by`` is the key in
    the configuration file that sets the value, or empty if the default is used.
    """

    key: str
    value: object
    default: object
    allowed: str
    description: str
    set_by: str


@config.command("show")
@config.command("get", hidden=True)
@config.command("explain", hidden=True)
def show_options(
    key: Annotated[
        str,
        typer.Argument(
            metavar="OPTION", help="As recall.recallTopK; a plugin's name means all of it.", show_default=False
        ),
    ] = "",
    everything: Annotated[bool, typer.Option("--all", help="Also those with default values.")] = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the options that the configuration sets, or explain one: its value, the allowed values, how to set it."""
    memory, found, problems = _find_options(key, config)
    print_problems(problems)
    listed = [one for one in found if key or everything or one.set_by]
    if as_json:
        print_json({"ok": True, "file": memory.source, "options": [_option_json(one) for one in listed]})
        return
    out = console()
    out.print(tr("Configuration: {source}", source=escape(memory.source or tr("none; everything has its default"))))
    for one in listed:
        default = _value_text(one, one.default)
        origin = (
            tr("{given}; default {default}", given=one.set_by, default=default) if one.set_by else tr("the default")
        )
        value = escape(_value_text(one, one.value))
        out.print(f"[bold]{escape(one.key)}[/bold] = {value}  [dim]({escape(origin)})[/dim]")
        if key:
            out.print(f"    {escape(tr(one.description))}")
            out.print(f"    {escape(tr('allowed: {allowed}', allowed=tr(one.allowed)))}")
    if key and len(listed) == 1:
        value = shlex.quote(_value_text(listed[0], listed[0].default).strip('"'))
        out.print(tr("    to set it: {command}", command=f"nanobot-memory config set {listed[0].key} {value}"))
    elif not key and not everything:
        counts = {"set": len(listed), "count": len(found)}
        out.print(tr("{set} of {count} options are set; `nanobot-memory config show --all` shows each.", **counts))


@config.command("set", context_settings={"ignore_unknown_options": True})
def set_option(
    key: Annotated[str, typer.Argument(metavar="OPTION", help="As recall.recallTopK.")],
    value: Annotated[str, typer.Argument(metavar="VALUE", help="JSON, as 3, true or [1]; anything else is text.")],
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Set an option in the configuration file; everything else in it stays, and the previous file is kept as .bak."""
    memory, named, _ = _find_options(key, config)
    if len(named) > 1 or named[0].key != canonical_key(key):
        raise InputError(
            Sentence("{key} is more than one option.", key=key),
            hint=Sentence("`nanobot-memory config show {key}` names each.", key=key),
        )
    cause = Sentence("{key} does not take this value.", key=named[0].key)
    try:
        given: object = json.loads(value)
    except ValueError as error:
        given = value
        if value.startswith(("{", "[")):
            cause = Sentence("{key} does not take this value, which is no JSON ({why}).", key=named[0].key, why=error)
    section, _, path = named[0].key.partition(".")
    section_options: Any = given
    for name in reversed(path.split(".")):
        section_options = {name: section_options}
    new_config = config_from_mapping({"memoryPlugins": {section: section_options}})
    new_options, problems = _all_options(new_config, {section} & installed_plugins())
    if problems:
        raise InputError(
            cause,
            hint=Sentence("Nothing was changed. Allowed: {allowed}.", allowed=Sentence.of(named[0].allowed)),
        )
    if not memory.source:
        raise InputError("There is no configuration file.", hint="Make one that holds {}, and name it with --config.")
    backup = set_plugin_options(memory.source, {section: section_options})
    if as_json:
        print_json({"ok": True, "file": memory.source, "key": named[0].key, "changed": backup is not None})
        return
    out = console()
    option = next(one for one in new_options if one.key == named[0].key)
    out.print(
        f"[bold]{escape(option.key)}[/bold] = {escape(_value_text(option, option.value))}  ({escape(memory.source)})"
    )
    out.print(tr("It takes effect at the next start of the agent."))


def _find_options(key: str, config: Path | None) -> tuple[MemoryConfig, list[_Option], list[ConfigProblem]]:
    """Return the configuration, the options that a key names, and the configuration's problems.

    A plugin's name means all of its options, an empty key all options. Raises `InputError`, with the most similar name
    as its hint, if there is no such option.
    """
    memory = load_config(config)
    every, problems = _all_options(memory, installed_plugins())
    requested = canonical_key(key) if key else ""
    found = [one for one in every if not key or f"{one.key}.".startswith(f"{requested}.")]
    if not found:
        near = nearest_name(requested, sorted({name for one in every for name in (one.key, one.key.partition(".")[0])}))
        raise InputError(
            Sentence("There is no option {key}.", key=key),
            hint=Sentence("Did you mean {near}?", near=near)
            if near
            else "`nanobot-memory config show --all` lists them.",
        )
    return memory, found, problems


def _all_options(memory: MemoryConfig, plugins: set[str]) -> tuple[list[_Option], list[ConfigProblem]]:
    """Return the options of core, redaction and these plugins, and the problems with them."""
    problems = list(memory.problems)
    found = [*_options_of("core", memory.core, memory), *_options_of("redaction", memory.redaction, memory)]
    for plugin in discover_plugins(should_load=plugins.__contains__) if plugins else ():
        name = plugin.name
        if name not in plugins:
            continue
        options, wrong = plugin_options(memory, name, plugin.options_model)
        if wrong and plugin.error:  # a plugin that cannot be imported has no model to check its options with
            wrong = [replace(wrong[0], message=Sentence.joined([wrong[0].key, plugin.error], ": "))]
        problems += wrong
        set_by = f"{memory.prefix}.{name}.enabled" if "enabled" in memory.plugins.get(name, {}) else ""
        allowed, description = Sentence("true or false"), Sentence("whether it is loaded")
        found.append(_Option(f"{name}.enabled", memory.enabled(name), True, allowed, description, set_by))
        if options is not None:
            found += (one for one in _options_of(name, options, memory) if one.key != f"{name}.enabled")
    return found, problems


def _options_of(name: str, section: BaseModel, memory: MemoryConfig) -> Iterator[_Option]:
    """Yield the options of a section; instead of a wrong value they have the default, which is what plugins get."""
    for path, info, allowed in describe_options(type(section)):
        parent: Any = reduce(getattr, path[:-1], section)
        key = ".".join((name, *map(to_camel, path)))
        written = memory.written.get(".".join((name, *path))) or f"{memory.prefix}.{key}"
        yield _Option(
            key=key,
            value=getattr(parent, path[-1]),
            default=info.get_default(call_default_factory=True),
            allowed=allowed,
            description=info.description or "",
            set_by=written if path[-1] in parent.model_fields_set else "",
        )


def canonical_key(key: str) -> str:
    """Return an option's camelCase key; ``key`` may be in snake_case, have the section's path, or be the documents'."""
    for prefix in ("channels.memoryPlugins.", "channels.memory_plugins.", "memoryPlugins.", "memory_plugins."):
        key = key.removeprefix(prefix)
    path = snake_path(key)
    if (option := OPTION_BY_PATH.get(path, "*")) and not option.startswith("*"):
        path = tuple(option.split("."))
    return ".".join((path[0], *map(to_camel, path[1:])))


def _value_text(option: _Option, value: object) -> str:
    """Return a value as JSON, redacted; a text whose key says that it is a secret is hidden whole."""
    if value and option.key.lower().endswith(("key", "token", "secret", "password")) and isinstance(value, str):
        return '"[REDACTED]"'
    plain = sorted(value) if isinstance(value, (set, frozenset)) else value
    return redact_text(json.dumps(plain, ensure_ascii=False, default=str))


def _option_json(option: _Option) -> dict[str, Any]:
    return {
        **asdict(option),
        "value": json.loads(_value_text(option, option.value)),
        "default": json.loads(_value_text(option, option.default)),
    }
