"""``nanobot-memory init``: the first run, from an installed nanobot to one that remembers."""

import shlex
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from nanobot_memory_plugins.bridge.cli.setup import HostSetup, named_by, read_setup
from nanobot_memory_plugins.bridge.model_preparation import Prepared, prepare_model
from nanobot_memory_plugins.core import Health, MemoryConfig, NanobotMemoryError
from nanobot_memory_plugins.core.cli.console import console, say_error, shown
from nanobot_memory_plugins.core.cli.doctor_command import examine, finding_row, show_findings, summary
from nanobot_memory_plugins.core.cli.options import JsonOption, WorkspaceOption, print_json, run
from nanobot_memory_plugins.core.cli.plain import exit_status
from nanobot_memory_plugins.core.config.writing import set_plugin_options
from nanobot_memory_plugins.redaction.script.messages import Sentence, together, tr

_FAILED = 1
# What one types first, in one's own language.
_SAMPLE = Sentence("Remember that our staging database listens on port 5433.")
_QUESTION = Sentence("Do you remember the port of the staging database?")


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
    try:
        setup = read_setup(config, workspace)
        _show_setup(out, setup)
        backup = _write_names(out, setup, me) if me else None
    except NanobotMemoryError as error:
        if as_json:
            print_json({"ok": False, "error": error.cause, "hint": error.hint, "mend": error.hint})
        else:
            say_error(error)
        raise typer.Exit(exit_status(error)) from error
    model = Prepared.NOT_WANTED if no_model else _prepare(out, setup.memory)
    with suppress(OSError):  # the findings say what is wrong with it
        setup.workspace.mkdir(parents=True, exist_ok=True)
    findings = run(examine(setup.workspace, setup.memory, list(setup.problems)))
    show_findings(findings, out)
    out.print(tr("Doctor: {told}", told=together(summary(findings), "`nanobot-memory doctor --all` shows each.")))
    ok = not any(finding.health is Health.BAD for finding in findings)
    commands = _next_commands(setup, config)
    if ok:
        out.print(tr("\n[bold]Ready.[/bold] Type next:"))
        for command in commands:
            out.print(f"    {shown(command)}")
    else:
        out.print(tr("\n[red]Repair what is bad above, then run `nanobot-memory init` again.[/red]"))
    if as_json:
        row = {"config": setup.file, "workspace": setup.workspace, "plugins": dict(setup.toggles), "backup": backup}
        rows = [finding_row(finding) for finding in findings]
        print_json({"ok": ok, **row, "model": model.value, "findings": rows, "next": commands})
    if not ok:
        raise typer.Exit(_FAILED)


def _show_setup(out: Console, setup: HostSetup) -> None:
    """Say which files are used, what is active, and who sees what where more than one person may write."""
    out.print(tr("Configuration  [cyan]{file}[/cyan]", file=shown(str(setup.file))))
    out.print(tr("Workspace      [cyan]{workspace}[/cyan]", workspace=shown(str(setup.workspace))))
    for problem in setup.problems:
        out.print(f"[yellow]{shown(tr(problem.message))}[/yellow]")
    off = [name for name, on in setup.toggles.items() if not on]
    active = tr("all of it, since it is installed")
    if off:
        active = tr("all but {names}, which the configuration switches off", names=", ".join(off))
    out.print(tr("Active         {count} plugins: {told}", count=len(setup.toggles) - len(off), told=shown(active)))
    core, several = setup.memory.core, ", ".join(setup.senders.several)
    if not several:
        return
    if core.share == "agent":
        out.print(
            tr(
                "[yellow]Everybody who writes sees every memory (share: agent), also in {several}.[/yellow]",
                several=shown(several),
            )
        )
        return
    out.print(
        tr(
            "Several people may write in {several}: each sees their own memories (share: {share}).",
            several=shown(several),
            share=core.share,
        )
    )
    if core.share == "auto" and not core.people:
        out.print(tr("  Are you one of them? `nanobot-memory init --me telegram:111` makes your names one person."))


def _write_names(out: Console, setup: HostSetup, names: list[str]) -> Path | None:
    """Write the owner's names where they are not there yet; return where the previous file is."""
    backup = set_plugin_options(setup.file, {"core": {"people": named_by(setup, names)}})
    if backup is not None:
        out.print(tr("[green]Written.[/green] The previous file is {backup}.", backup=shown(str(backup))))
    return backup


def _prepare(out: Console, memory: MemoryConfig) -> Prepared:
    """Prepare the model that the configuration names, where one runs on this machine."""
    storage = memory.plugins.get("storage", {})
    nested = storage.get("embedding")
    nested = nested if isinstance(nested, dict) else {}
    provider = storage.get("embedding_provider", storage.get("embeddingProvider", nested.get("provider", "fastembed")))
    if not memory.enabled("storage") or provider != "fastembed":
        return Prepared.NOT_WANTED
    name = storage.get("embedding_model", storage.get("embeddingModel", nested.get("model")))
    out.print(tr("Embedding model: looking for it; the first time it is made, which takes up to a minute or two."))
    prepared = prepare_model(name if isinstance(name, str) and name else None)
    if prepared is Prepared.FAILED:
        hint = tr("Until it is there, recall goes by words alone; try `nanobot-memory models pull`.")
        out.print(tr("[yellow]The embedding model could not be made ready.[/yellow] {hint}", hint=hint))
    elif prepared is not Prepared.NOT_WANTED:
        out.print(tr("Embedding model: ready."))
    return prepared


def _next_commands(setup: HostSetup, given: Path | None) -> list[str]:
    more = "" if given is None else f" --config {shlex.quote(str(setup.file))}"
    workspace_option = "" if given is None else f" --workspace {shlex.quote(str(setup.workspace))}"
    return [
        f'nanobot agent{more} -m "{tr(_SAMPLE)}"',
        f'nanobot agent{more} -s another -m "{tr(_QUESTION)}"',
        f'nanobot-memory why "{tr(_QUESTION)}"{workspace_option}',
        f"nanobot-memory entries list{workspace_option}",
    ]
