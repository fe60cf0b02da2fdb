"""What ``nanobot-memory init`` finds: nanobot, its configuration, its workspace, and who may write to it."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.bridge.configuration import CONFIG_KEY, FILE_VARIABLE
from nanobot_memory_plugins.bridge.plugin import HOST, host_finding
from nanobot_memory_plugins.bridge.senders import configured_senders
from nanobot_memory_plugins.core import ConfigurationError, Health, MemoryConfig, PluginError, load_config, redact_text
from nanobot_memory_plugins.core.cli.options import resolve_workspace
from nanobot_memory_plugins.core.config.json_file import nanobot_home, read_json
from nanobot_memory_plugins.core.config.mapping import find_section
from nanobot_memory_plugins.core.config.models import ConfigProblem
from nanobot_memory_plugins.core.config.reading import installed_plugins
from nanobot_memory_plugins.core.config.writing import plugins_place
from nanobot_memory_plugins.core.scopes.people import UNSAID, People, Senders
from nanobot_memory_plugins.redaction.script.messages import Sentence

_INIT = Sentence("then run `nanobot-memory init` again.")


@dataclass(frozen=True, slots=True)
class HostSetup:
    """An installed nanobot and its memory, as the configuration has them.

    ``toggles`` are all installed plugins and whether they are on. ``senders`` are those who may write to nanobot.
    """

    file: Path
    workspace: Path
    toggles: Mapping[str, bool]
    memory: MemoryConfig
    problems: tuple[ConfigProblem, ...] = ()
    senders: Senders = UNSAID


def read_setup(given: Path | None, workspace: Path | None, *, environment: Mapping[str, str] = os.environ) -> HostSetup:
    """Look at nanobot and its configuration. Raises `PluginError` and `ConfigurationError` with a hint.

    ``given`` is the configuration, nanobot's usual one by default; it may be one of the plugins' own, too.
    """
    _require_host()
    file = _file(given)
    raw = _content(file)
    place = plugins_place(raw)
    if place[:1] == ("channels",):
        _check_by_nanobot(file)
        _check_not_shadowing(raw, file, environment)
    memory, problems = load_config(file)
    if place == () or not find_section(raw)[0]:
        # A file that does not speak of memory yet has nothing wrong with it.
        problems = [problem for problem in problems if problem.key != "file"]
    toggles = {name: memory.enabled(name) for name in sorted(installed_plugins())}
    folder = _workspace(workspace, raw)
    senders = configured_senders(folder, str(file)) or UNSAID
    return HostSetup(file, folder, toggles, memory, tuple(problems), senders)


def named_by(setup: HostSetup, own_names: Sequence[str]) -> dict[str, list[str]]:
    """Return the owner with these names, too: whoever is listed with one of them, else with one of the owner's.

    Raises `ConfigurationError` where they are two people's, or where it cannot be seen who is listed.
    """
    wrong = next((problem for problem in setup.problems if "core.people" in problem.key), None)
    if wrong is not None:
        raise ConfigurationError(wrong.message, hint=Sentence("Correct it, {init}", init=_INIT))
    names = list(dict.fromkeys((*filter(None, map(str.strip, own_names)), "cli")))
    listed = setup.memory.core.people
    labels = [label for label, known in listed.items() if not set(names).isdisjoint(known)]
    if len(labels) > 1:
        owners = "; ".join(f"{', '.join(sorted(set(names) & set(listed[label])))} is {label}'s" for label in labels)
        raise ConfigurationError(
            Sentence("These names are several people's: {whose}.", whose=owners),
            hint="Name with --me those of one person, or correct memoryPlugins.core.people.",
        )
    label = labels[0] if labels else People(listed, setup.senders).owner().label
    return {label: list(dict.fromkeys((*listed.get(label, ()), *names)))}


def _require_host() -> None:
    try:
        found = host_finding(version(HOST))
    except PackageNotFoundError:
        raise PluginError(
            Sentence("{host} is not installed in this environment.", host=HOST),
            hint=Sentence("pip install {host}, {init}", host=HOST, init=_INIT),
        ) from None
    if found.health is Health.BAD:
        raise PluginError(
            Sentence("{host} {state}.", host=HOST, state=Sentence.of(found.state)),
            hint=Sentence("{hint}, {init}", hint=Sentence.of(found.hint), init=_INIT),
        )


def _file(given: Path | None) -> Path:
    if given is not None:
        return given.expanduser().absolute()
    home = nanobot_home()
    if home is None:
        raise ConfigurationError("There is no home folder to find nanobot's configuration in.", hint="Use --config.")
    return home / "config.json"


def _content(file: Path) -> Mapping[str, Any]:
    raw, wrong = read_json(file)
    if not file.exists():
        raise ConfigurationError(
            Sentence("There is no nanobot configuration at {file}.", file=file),
            hint=Sentence("Run `nanobot onboard` to make one, {init} --config names another file.", init=_INIT),
        )
    if wrong:
        raise ConfigurationError(
            Sentence("{file}: {wrong}.", file=file, wrong=Sentence.of(wrong)),
            hint=Sentence("Correct the file, {init} It is left as it is.", init=_INIT),
        )
    if not isinstance(raw, Mapping):
        raise ConfigurationError(
            Sentence("{file}: a JSON object is expected.", file=file),
            hint=Sentence("Correct the file, {init} It is left as it is.", init=_INIT),
        )
    return raw


def _check_by_nanobot(file: Path) -> None:
    """Let nanobot read the file: what it refuses, it would not start with."""
    try:
        from nanobot.config.loader import load_config as load_by_nanobot
    except ImportError:
        return
    try:
        load_by_nanobot(file)
    except Exception as error:  # nanobot's own errors, and those of pydantic before 0.3.5
        issues = getattr(error, "issues", ())
        details = "; ".join(f"{'.'.join(map(str, issue.path))}: {issue.message}" for issue in issues[:5])
        summary = getattr(error, "summary", "") or type(error).__name__
        reason = redact_text(f"{summary} {details}".strip()).rstrip(".")
        raise ConfigurationError(
            Sentence("nanobot does not accept {file}: {told}.", file=file, told=reason),
            hint=Sentence("Correct the file (`nanobot status` checks it), {init}", init=_INIT),
        ) from error


def _check_not_shadowing(raw: Mapping[str, Any], file: Path, environment: Mapping[str, str]) -> None:
    """Refuse to write a section that would take the place of a file that the user has named."""
    named = environment.get(FILE_VARIABLE)
    if named and not find_section(raw)[0] and Path(named).expanduser().absolute() != file:
        raise ConfigurationError(
            Sentence(
                "{file_variable} names {named}, which channels.{config_key} in {file} would replace.",
                file_variable=FILE_VARIABLE,
                named=named,
                config_key=CONFIG_KEY,
                file=file,
            ),
            hint=Sentence("Name that file with --config, or unset {file_variable}.", file_variable=FILE_VARIABLE),
        )


def _workspace(given: Path | None, raw: Mapping[str, Any]) -> Path:
    if given is None:
        found: object = raw
        for key in ("agents", "defaults", "workspace"):
            found = found.get(key) if isinstance(found, Mapping) else None
        given = Path(found) if isinstance(found, str) and found else None
    return resolve_workspace(given)
