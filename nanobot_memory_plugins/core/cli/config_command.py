"""``nanobot-memory config``: what the options are, where each comes from, and what may stand there."""

import json
import os
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from pydantic import BaseModel

from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.findings_shown import wrapped
from nanobot_memory_plugins.core.cli.options import ConfigOption, JsonOption, print_json, read_configuration, warn
from nanobot_memory_plugins.core.config import ConfigProblem, MemoryConfig, installed_plugins
from nanobot_memory_plugins.core.config.effective import Option, canonical, options_of
from nanobot_memory_plugins.core.config.nearest import nearest
from nanobot_memory_plugins.core.config.options import plugin_options
from nanobot_memory_plugins.core.config.reading import silent_file
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
        section, _, option = found[0].key.partition(".")
        value: object = found[0].default
        for name in reversed(option.split(".")):
            value = {name: value}
        above, _, place = (memory.prefix if memory.source else "channels.memoryPlugins").rpartition(".")
        wanted = json.dumps({place: {section: value}}, ensure_ascii=False, default=str)[1:-1]
        where = memory.source or "~/.nanobot/config.json"
        where = tr("{file}, below {above}", file=where, above=above) if above else where
        out.print(tr("    to set it, in {where}:", where=shown(where)))
        out.print(shown(redact_text(wanted)))


@config.command("set", hidden=True, context_settings={"ignore_unknown_options": True})
def refuse_to_set(key: _Key, value: Annotated[list[str] | None, typer.Argument(metavar="VALUE")] = None) -> None:
    """Say how an option is set: in the file, which is the person's and the host's to write."""
    named = _named(key, MemoryConfig(), [])
    key = named[0].key if len(named) == 1 else key
    raise InputError(
        "Options are set in the configuration file; no command writes it.",
        hint=Sentence("`nanobot-memory config explain {key}` shows what to write, and where.", key=key),
    )


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
