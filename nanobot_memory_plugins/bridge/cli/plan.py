"""What ``nanobot-memory init`` would change, worked out without changing anything."""

import difflib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.bridge.configuration import CONFIG_KEY, FILE_VARIABLE
from nanobot_memory_plugins.bridge.host_version import HOST, host_finding
from nanobot_memory_plugins.bridge.senders import configured_senders
from nanobot_memory_plugins.core import ConfigurationError, Health, MemoryConfig, PluginError, load_config, redact_text
from nanobot_memory_plugins.core.cli.options import resolve_workspace
from nanobot_memory_plugins.core.config import (
    ConfigChange,
    ConfigProblem,
    find_section,
    installed_plugins,
    nanobot_home,
    plugins_place,
    read_json,
    set_plugin_options,
)
from nanobot_memory_plugins.core.scopes.people import UNSAID, People, Senders
from nanobot_memory_plugins.redaction.script.messages import Sentence

_INIT = Sentence("then run `nanobot-memory init` again.")


@dataclass(frozen=True, slots=True)
class ConfigurationPlan:
    """The change of one configuration file: what differs from the defaults, and stands not there yet.

    ``toggles`` are all installed plugins and whether they are on, as each is unless the file says otherwise.

    ``senders`` are those who may write to nanobot, ``person`` is its owner by label and names where it is written.
    """

    file: Path
    workspace: Path
    toggles: Mapping[str, bool]
    change: ConfigChange
    memory: MemoryConfig
    problems: tuple[ConfigProblem, ...] = ()
    senders: Senders = UNSAID
    person: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def diff(self) -> str:
        """Return what changes as a unified diff, or nothing; secrets that stand beside it are hidden."""
        before, after = self.change.before.splitlines(), self.change.after.splitlines()
        lines = difflib.unified_diff(before, after, str(self.file), f"{self.file} (new)", n=1, lineterm="")
        return redact_text("\n".join(lines))

    def write(self) -> ConfigChange:
        """Write the change, in one step and with a backup. Raises `ConfigurationError`."""
        return set_plugin_options(self.file, _options(self.person))


def make_plan(
    given: Path | None,
    workspace: Path | None,
    *,
    own_names: Sequence[str] = (),
    environment: Mapping[str, str] = os.environ,
) -> ConfigurationPlan:
    """Look at nanobot and its configuration. Raises `PluginError` and `ConfigurationError` with a hint.

    ``given`` is the configuration, nanobot's usual one by default; it may be one of the plugins' own, too. What is
    switched off stays off. ``own_names`` become names of one person, the owner.
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
    person = _person([name for name in map(str.strip, own_names) if name], memory, problems, senders)
    # Whether the file could take options at all is said now, and not when one is set later.
    set_plugin_options(file, {name: {"enabled": on} for name, on in toggles.items()}, dry_run=True)
    change = set_plugin_options(file, _options(person), dry_run=True)
    return ConfigurationPlan(file, folder, toggles, change, memory, tuple(problems), senders, person)


def _options(person: Mapping[str, Sequence[str]]) -> dict[str, dict[str, object]]:
    """Return what is to be written: an installed plugin is on by default, so that it need not stand there."""
    return {"core": {"people": dict(person)}} if person else {}


def _person(
    own_names: Sequence[str], memory: MemoryConfig, problems: Sequence[ConfigProblem], senders: Senders
) -> dict[str, list[str]]:
    """Return the owner with these names, too: whoever is listed with one of them, else with one of the owner's.

    Raises `ConfigurationError` where they are two people's, or where it cannot be seen who is listed.
    """
    if not own_names:
        return {}
    wrong = next((problem for problem in problems if "core.people" in problem.key), None)
    if wrong is not None:
        raise ConfigurationError(wrong.message, hint=Sentence("Correct it, {init}", init=_INIT))
    names = list(dict.fromkeys((*own_names, "cli")))
    listed = memory.core.people
    theirs = [label for label, known in listed.items() if not set(names).isdisjoint(known)]
    if len(theirs) > 1:
        whose = "; ".join(f"{', '.join(sorted(set(names) & set(listed[label])))} is {label}'s" for label in theirs)
        raise ConfigurationError(
            Sentence("These names are several people's: {whose}.", whose=whose),
            hint="Name with --me those of one person, or correct memoryPlugins.core.people.",
        )
    label = theirs[0] if theirs else People(listed, senders).owner().label
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
        where = "; ".join(f"{'.'.join(map(str, issue.path))}: {issue.message}" for issue in issues[:5])
        what = getattr(error, "summary", "") or type(error).__name__
        told = redact_text(f"{what} {where}".strip()).rstrip(".")
        raise ConfigurationError(
            Sentence("nanobot does not accept {file}: {told}.", file=file, told=told),
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
