"""``nanobot-memory init``: the first run, which sets up an installed nanobot with this memory."""

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from nanobot_memory_plugins.bridge.configuration import FILE_VARIABLE
from nanobot_memory_plugins.bridge.senders import configured_senders
from nanobot_memory_plugins.core import ConfigurationError, Health, MemoryConfig, load_config
from nanobot_memory_plugins.core.cli.console import console, escape
from nanobot_memory_plugins.core.cli.doctor_command import collect_findings, show_findings, summary_line
from nanobot_memory_plugins.core.cli.findings import people_finding
from nanobot_memory_plugins.core.cli.language import LANGUAGE_OPTION, current_language
from nanobot_memory_plugins.core.cli.options import JsonOption, WorkspaceOption, print_json, resolve_workspace, run
from nanobot_memory_plugins.core.config.json_file import nanobot_config_file, read_json, value_at
from nanobot_memory_plugins.core.config.reading import installed_plugins
from nanobot_memory_plugins.core.config.writing import set_plugin_options
from nanobot_memory_plugins.core.scopes.people import UNKNOWN_SENDERS, People, Senders
from nanobot_memory_plugins.redaction.script.messages import Sentence, join_sentences, tr

_FAILED = 1
_RUN_AGAIN = Sentence("then run `nanobot-memory init` again.")
# The first messages to type, in the user's language.
_SAMPLE_FACT = Sentence("Remember that our staging database listens on port 5433.")
_SAMPLE_QUESTION = Sentence("Do you remember the port of the staging database?")


@dataclass(frozen=True, slots=True)
class HostSetup:
    """The configuration of a nanobot and its memory.

    ``toggles`` maps each installed plugin to whether it is on. ``senders`` are the people who may write to nanobot.
    """

    file: Path
    workspace: Path
    toggles: Mapping[str, bool]
    memory: MemoryConfig
    senders: Senders


def init(
    config: Annotated[
        Path | None,
        typer.Option(
            "--config", "-c", metavar="FILE", help="The configuration to use. Else nanobot's own.", dir_okay=False
        ),
    ] = None,
    me: Annotated[
        list[str] | None,
        typer.Option(
            "--me", metavar="NAME", help="A name by which you write yourself, as telegram:111. May be repeated."
        ),
    ] = None,
    no_model: Annotated[bool, typer.Option("--no-model", help="Do not prepare the embedding model now.")] = False,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Set nanobot up with this memory: show what is active, prepare the embedding model, run the doctor.

    The set is active once it is installed, and nothing needs to be configured. With --me the configuration says that
    these names are yours; the previous file is kept as config.json.bak.
    """
    out = console(stderr=as_json)
    setup = read_setup(config, workspace)
    _show_setup(out, setup)
    backup = set_plugin_options(setup.file, {"core": {"people": people_with_names(setup, me)}}) if me else None
    if backup is not None:
        out.print(tr("[green]Written.[/green] The previous file is {backup}.", backup=escape(str(backup))))
    model = "not wanted" if no_model else _prepare(out, setup)
    with suppress(OSError):  # the findings report the failure
        setup.workspace.mkdir(parents=True, exist_ok=True)
    findings = run(collect_findings(setup.workspace, setup.memory))
    show_findings(findings, out)
    out.print(
        tr("Doctor: {told}", told=join_sentences(summary_line(findings), "`nanobot-memory doctor --all` shows each."))
    )
    ok = not any(finding.health is Health.BAD for finding in findings)
    commands = _next_commands(setup, config, workspace)
    if ok:
        out.print(tr("\n[bold]Ready.[/bold] Type next:"))
        for command in commands:
            out.print(f"    {escape(command)}")
    else:
        out.print(tr("\n[red]Repair what is bad above, then run `nanobot-memory init` again.[/red]"))
    if as_json:
        row = {"config": setup.file, "workspace": setup.workspace, "plugins": dict(setup.toggles), "backup": backup}
        print_json({"ok": ok, **row, "model": model, "findings": list(map(asdict, findings)), "next": commands})
    if not ok:
        raise typer.Exit(_FAILED)


def read_setup(config: Path | None, workspace: Path | None) -> HostSetup:
    """Read the configuration file ``config``, by default nanobot's own. Raises `ConfigurationError` with a hint."""
    named = config or os.environ.get(FILE_VARIABLE)
    file = Path(named).expanduser().absolute() if named else nanobot_config_file()
    raw, problem = read_json(file)
    if not file.exists():
        raise ConfigurationError(
            Sentence("There is no nanobot configuration at {file}.", file=file),
            hint=Sentence("Run `nanobot onboard` to make one, {init} --config names another file.", init=_RUN_AGAIN),
        )
    if not isinstance(raw, Mapping):
        problem = Sentence.of(problem) if problem else Sentence("a JSON object is expected")
        raise ConfigurationError(
            Sentence("{file}: {wrong}.", file=file, wrong=problem),
            hint=Sentence("Correct the file, {init} It is left as it is.", init=_RUN_AGAIN),
        )
    memory = load_config(file)
    toggles = {name: memory.enabled(name) for name in sorted(installed_plugins())}
    named_folder = value_at(raw, "agents", "defaults", "workspace")
    folder = resolve_workspace(workspace or (Path(named_folder) if isinstance(named_folder, str) else None))
    senders = configured_senders(folder, str(file)) or UNKNOWN_SENDERS
    return HostSetup(file, folder, toggles, memory, senders)


def _show_setup(out: Console, setup: HostSetup) -> None:
    """Print the files in use, the active plugins, and who sees which memories when several people may write."""
    out.print(tr("Configuration  [cyan]{file}[/cyan]", file=escape(str(setup.file))))
    out.print(tr("Workspace      [cyan]{workspace}[/cyan]", workspace=escape(str(setup.workspace))))
    off = [name for name, is_on in setup.toggles.items() if not is_on]
    active = tr("all that are installed")
    if off:
        active = tr("all but {names}, which the configuration switches off", names=", ".join(off))
    out.print(tr("Active         {count} plugins: {told}", count=len(setup.toggles) - len(off), told=escape(active)))
    core = setup.memory.core
    if setup.senders.several:
        state = people_finding(setup.workspace, setup.memory, setup.senders).state
        out.print(tr("People         {told}", told=escape(tr(state))))
    if setup.senders.several and core.share == "auto" and not core.people:
        out.print(tr("  Are you one of them? `nanobot-memory init --me telegram:111` makes your names one person."))


def people_with_names(setup: HostSetup, own_names: Sequence[str]) -> dict[str, list[str]]:
    """Return the configured person who has one of these names, with all of them added; by default the owner.

    Raises `ConfigurationError` when the names belong to two people, or when ``core.people`` is invalid.
    """
    problem = next((one for one in setup.memory.problems if "core.people" in one.key), None)
    if problem is not None:
        raise ConfigurationError(problem.message, hint=Sentence("Correct it, {init}", init=_RUN_AGAIN))
    names = list(dict.fromkeys((*filter(None, map(str.strip, own_names)), "cli")))
    listed = setup.memory.core.people
    labels = [label for label, known in listed.items() if not set(names).isdisjoint(known)]
    if len(labels) > 1:
        owners = "; ".join(f"{', '.join(sorted(set(names) & set(listed[label])))} is {label}'s" for label in labels)
        raise ConfigurationError(
            Sentence("These names are several people's: {whose}.", whose=owners),
            hint="Name with --me those of one person, or correct core.people.",
        )
    label = labels[0] if labels else People(listed, setup.senders).owner.label
    return {label: list(dict.fromkeys((*listed.get(label, ()), *names)))}


def _prepare(out: Console, setup: HostSetup) -> str:
    """Prepare the configured embedding model if it runs on this machine, print the outcome and return it."""
    storage = setup.memory.plugins.get("storage", {})
    nested = storage.get("embedding")
    nested = nested if isinstance(nested, dict) else {}
    provider = storage.get("embedding_provider", storage.get("embeddingProvider", nested.get("provider", "fastembed")))
    if not setup.toggles.get("storage") or provider != "fastembed":
        return "not wanted"
    name = storage.get("embedding_model", storage.get("embeddingModel", nested.get("model")))
    out.print(tr("Embedding model: looking for it; the first time it is made, which takes up to a minute or two."))
    if prepare_model(name if isinstance(name, str) and name else None):
        out.print(tr("Embedding model: ready."))
        return "ready"
    hint = tr("Until the model is there, recall uses words alone; try `nanobot-memory models pull`.")
    out.print(tr("[yellow]The embedding model could not be made ready.[/yellow] {hint}", hint=hint))
    return "failed"


def prepare_model(name: str | None = None) -> bool:
    """Build or download an embedding model unless it is on disk, and return whether it is there now.

    Without ``name`` it is the default model. A progress bar and errors go to standard error. The first call blocks for
    about a minute. After an interrupt, the next attempt discards the partial files.
    """
    command = [sys.executable, "-m", "nanobot_memory_plugins.core.cli", LANGUAGE_OPTION, current_language()]
    named = [] if name is None else [name]
    pulled = subprocess.run([*command, "models", "pull", *named], stdout=subprocess.DEVNULL, check=False)  # noqa: S603  # our own module
    return pulled.returncode == 0


def _next_commands(setup: HostSetup, config: Path | None, workspace: Path | None) -> list[str]:
    place = f" --workspace {shlex.quote(str(setup.workspace))}"
    more = ("" if config is None else f" --config {shlex.quote(str(setup.file))}") + (place if workspace else "")
    workspace_option = place if config or workspace else ""
    return [
        f'nanobot agent{more} -m "{tr(_SAMPLE_FACT)}"',
        f'nanobot agent{more} -s another -m "{tr(_SAMPLE_QUESTION)}"',
        f'nanobot-memory why "{tr(_SAMPLE_QUESTION)}"{workspace_option}',
        f"nanobot-memory entries list{workspace_option}",
    ]
