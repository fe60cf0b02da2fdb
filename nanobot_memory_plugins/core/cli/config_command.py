"""``nanobot-memory config``: what the options are, where each comes from, and what may stand there."""

import json
import os
import shlex
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from pydantic import BaseModel

from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.findings_shown import wrapped
from nanobot_memory_plugins.core.cli.options import ConfigOption, JsonOption, print_json, read_configuration, warn
from nanobot_memory_plugins.core.config import (
    ConfigProblem,
    MemoryConfig,
    config_from_mapping,
    installed_plugins,
    set_plugin_options,
)
from nanobot_memory_plugins.core.config.effective import Option, canonical, options_of
from nanobot_memory_plugins.core.config.options import plugin_options
from nanobot_memory_plugins.core.config.reading import silent_file
from nanobot_memory_plugins.core.config.wording import nearest
from nanobot_memory_plugins.core.entry_points import ONLY_VARIABLE
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.host.plugins.discovery import discover_plugins
from nanobot_memory_plugins.redaction import redact_text
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

config = typer.Typer(
    help="What the options are, where each comes from, and what may stand there.", no_args_is_help=True
)
_Key = Annotated[str, typer.Argument(metavar="OPTION", help="As recall.recallTopK; a plugin's name means all of it.")]
_OWN = ("core", "redaction")


@config.command("show")
def show_options(
    everything: Annotated[bool, typer.Option("--all", help="Also those that have their defaults.")] = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the options that the configuration sets, with their values; --all shows every option."""
    memory, problems = read_configuration(config)
    found = _options(memory, problems, installed_plugins())
    warn(problems)
    listed = [one for one in found if everything or one.is_set]
    silent = None if memory.source else silent_file()
    if as_json:
        print_json({"ok": True, "file": memory.source or silent or "", "options": [_row(one) for one in listed]})
        return
    out = console()
    source = memory.source or tr("none; everything has its default")
    if silent is not None:
        source = tr("{file}, which sets nothing of the memory; everything has its default", file=silent)
    out.print(tr("Configuration: {source}", source=shown(source)))
    for one in listed:
        origin = tr("{given}; default {default}", given=one.given, default=_told(one, one.default))
        origin = f"  [dim]({shown(origin)})[/dim]" if one.is_set else ""
        out.print(f"[bold]{shown(one.key)}[/bold] = {shown(_told(one, one.value))}{origin}")
    if not everything:
        out.print(
            tr(
                "{set} of {count} options are set; `nanobot-memory config show --all` shows each.",
                set=len(listed),
                count=len(found),
            )
        )
    if ONLY_VARIABLE in os.environ:
        out.print(
            tr(
                "{variable}={names}: no other plugin is loaded.",
                variable=ONLY_VARIABLE,
                names=shown(os.environ[ONLY_VARIABLE]),
            )
        )


@config.command("get")
def get_option(key: _Key, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Print the value of an option as JSON, or of each option of a plugin, one a line."""
    memory, problems = read_configuration(config)
    found = _named(key, memory, problems)
    warn(_about(found, problems))
    if as_json:
        print_json({"ok": True, "options": [_row(one) for one in found]})
        return
    out = console()
    for one in found:
        name = "" if len(found) == 1 else f"{one.key} = "
        out.print(shown(f"{name}{_told(one, one.value)}"))


@config.command("explain")
def explain_option(key: _Key, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Say what an option means, its value and where that comes from, what may stand there, and how to set it."""
    memory, problems = read_configuration(config)
    found = _named(key, memory, problems)
    told_below = set() if as_json else {one.key for one in found}
    warn([problem for problem in _about(found, problems) if canonical(problem.key) not in told_below])
    if as_json:
        print_json({"ok": True, "file": memory.source, "options": [_row(one) for one in found]})
        return
    out = console()
    for one in found:
        wrong = [tr(problem.message) for problem in problems if canonical(problem.key) == one.key]
        origin = (
            tr("set by {given} in {file}", given=one.given, file=memory.source) if one.is_set else tr("the default")
        )
        out.print(f"[bold]{shown(one.key)}[/bold] = {shown(_told(one, one.value))}  ({shown(origin)})")
        allowed = tr("allowed: {allowed}; default: {default}", allowed=tr(one.allowed), default=_told(one, one.default))
        lines = [*wrong, tr(one.description), allowed]
        lines += [tr("the documents' {names}", names=", ".join(one.documents))] if one.documents else []
        for line in lines:
            for part in wrapped(line, out.width - 4):
                out.print(f"    {shown(part)}")
    if len(found) == 1:
        value = shlex.quote(_told(found[0], found[0].default).strip('"'))
        out.print(tr("    to set it: {command}", command=f"nanobot-memory config set {found[0].key} {value}"))


@config.command("set", context_settings={"ignore_unknown_options": True})
def set_option(
    key: _Key,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="JSON, as 3, true or [1]; anything else is text.")],
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Set an option in the configuration file; everything else in it stays, and the file of before as .bak."""
    memory, problems = read_configuration(config)
    named = _named(key, memory, problems)
    if len(named) > 1 or named[0].key != canonical(key):
        raise InputError(
            Sentence("{key} is more than one option.", key=key),
            hint=Sentence("`nanobot-memory config explain {key}` names each.", key=key),
        )
    try:
        given: object = json.loads(value)
    except ValueError:
        given = value
    section, _, path = named[0].key.partition(".")
    wanted: Any = given
    for name in reversed(path.split(".")):
        wanted = {name: wanted}
    _, wrong = config_from_mapping({section: wanted})
    _options(MemoryConfig(plugins={section: wanted}), wrong, {section} & installed_plugins())
    if wrong:
        raise InputError(
            wrong[0].message,
            hint=Sentence("Nothing was changed. Allowed: {allowed}.", allowed=Sentence.of(named[0].allowed)),
        )
    file = memory.source or silent_file()
    if file is None:
        raise InputError("There is no configuration file.", hint="Name one with --config.")
    change = set_plugin_options(file, {section: wanted})
    if as_json:
        print_json({"ok": True, "file": change.path, "key": named[0].key, "changed": change.changed})
        return
    out = console()
    out.print(f"[bold]{shown(named[0].key)}[/bold] = {shown(_told(named[0], given))}  ({shown(str(change.path))})")
    out.print(tr("It holds from the next start of the agent on."))


def _named(key: str, memory: MemoryConfig, problems: list[ConfigProblem]) -> list[Option]:
    """Return the options that a key names: one, or all of a plugin. Raises `InputError` with the nearest."""
    wanted = canonical(key)
    section = wanted.partition(".")[0]
    installed = installed_plugins()
    found = _options(memory, problems, {section} & installed) if section in installed | {*_OWN} else []
    named = [one for one in found if one.key == wanted or one.key.startswith(f"{wanted}.")]
    if named:
        return named
    known = [one.key for one in found or _options(memory, problems, installed)]
    near = nearest(wanted, [*known, *sorted(installed | {*_OWN})])
    hint = Sentence("Did you mean {near}?", near=near) if near else "`nanobot-memory config show --all` lists them."
    raise InputError(Sentence("There is no option {key}.", key=key), hint=hint)


def _about(found: list[Option], problems: list[ConfigProblem]) -> list[ConfigProblem]:
    """Return what is wrong with these options, with all that is above them, or with the file."""
    names = [f"{one.key}." for one in found]
    return [
        one for one in problems if one.is_unread or any(name.startswith(f"{canonical(one.key)}.") for name in names)
    ]


def _options(memory: MemoryConfig, problems: list[ConfigProblem], plugins: set[str]) -> list[Option]:
    """Return the options of core, redaction and some plugins; what is wrong with theirs joins the problems."""
    models: Mapping[str, type[BaseModel] | None] = {}
    if plugins:
        models = {one.name: one.options_model for one in discover_plugins(only=plugins) if one.name in plugins}
    for name, model in models.items():
        problems += plugin_options(memory, name, model)[1]
    return list(options_of(memory, models))


def _told(one: Option, value: object) -> str:
    """Return a value as JSON; what is a secret by its name or its look is hidden."""
    if value and one.key.lower().endswith(("key", "token", "secret", "password")) and isinstance(value, str):
        return '"[REDACTED]"'
    plain = sorted(value) if isinstance(value, (set, frozenset)) else value
    return redact_text(json.dumps(plain, ensure_ascii=False, default=str))


def _row(one: Option) -> dict[str, Any]:
    return {
        "key": one.key,
        "value": json.loads(_told(one, one.value)),
        "default": json.loads(_told(one, one.default)),
        "set_by": one.given,
        "allowed": one.allowed,
        "description": one.description,
        "documents": list(one.documents),
    }
