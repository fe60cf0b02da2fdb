"""``nanobot-memory init``: the first run, from an installed nanobot to one that remembers."""

import shlex
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from nanobot_memory_plugins.bridge.cli.plan import ConfigurationPlan, make_plan
from nanobot_memory_plugins.bridge.model_preparation import Prepared, prepare_model
from nanobot_memory_plugins.core import Health, MemoryConfig, NanobotMemoryError
from nanobot_memory_plugins.core.cli.asking import agrees
from nanobot_memory_plugins.core.cli.console import console, say_error, shown
from nanobot_memory_plugins.core.cli.doctor_command import examine, finding_row
from nanobot_memory_plugins.core.cli.exit_codes import exit_status
from nanobot_memory_plugins.core.cli.findings_shown import show_problems, summary
from nanobot_memory_plugins.core.cli.options import JsonOption, WorkspaceOption, print_json, run
from nanobot_memory_plugins.redaction.script.messages import Sentence, together, tr

_FAILED = 1


def init(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write without asking.")] = False,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config", "-c", metavar="FILE", help="The configuration to write. Else nanobot's own.", dir_okay=False
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
    """Set nanobot up with this memory: show what is active, write what differs from the defaults, prepare the model.

    The set is active once it is installed: only who you are (--me) needs to be written, after a preview, with the
    previous configuration kept as config.json.bak. Then the doctor runs.
    """
    out = console(stderr=as_json)
    try:
        plan = make_plan(config, workspace, own_names=me or ())
        asks = not as_json and sys.stdin.isatty()
        _show_people(out, plan)
        if asks and not yes and not me and _is_open(plan):
            plan = make_plan(config, workspace, own_names=_ask_names())
        _show_plan(out, plan)
        written, backup = _write(out, plan, yes=yes, asks=asks)
    except NanobotMemoryError as error:
        if as_json:
            print_json({"ok": False, "written": False, "error": error.cause, "hint": error.hint, "mend": error.hint})
        else:
            say_error(error)
        raise typer.Exit(exit_status(error)) from error
    if plan.change.changed and not written:
        again = Sentence("Nothing was written. `nanobot-memory init --yes` writes it.")
        out.print(tr(again))
        if as_json:
            print_json(
                {
                    **_plan_row(plan),
                    "ok": False,
                    "written": False,
                    "error": again,
                    "hint": "Add --yes.",
                    "mend": "Add --yes.",
                }
            )
        raise typer.Exit(_FAILED)
    model = Prepared.NOT_WANTED if no_model else _prepare(out, plan.memory)
    with suppress(OSError):  # the findings say what is wrong with it
        plan.workspace.mkdir(parents=True, exist_ok=True)
    findings = run(examine(plan.workspace, plan.memory, list(plan.problems)))
    show_problems(findings, out)
    out.print(tr("Doctor: {told}", told=together(summary(findings), "`nanobot-memory doctor --all` shows each.")))
    ok = not any(finding.health is Health.BAD for finding in findings)
    commands = _next_commands(plan, config)
    if ok:
        out.print(tr("\n[bold]Ready.[/bold] Type next:"))
        for command in commands:
            out.print(f"    {shown(command)}")
    else:
        out.print(tr("\n[red]Repair what is bad above, then run `nanobot-memory init` again.[/red]"))
    if as_json:
        rows = [finding_row(finding) for finding in findings]
        result = {"ok": ok, "written": written, "backup": backup, "model": model.value}
        print_json({**_plan_row(plan), **result, "findings": rows, "next": commands})
    if not ok:
        raise typer.Exit(_FAILED)


def _plan_row(plan: ConfigurationPlan) -> dict[str, Any]:
    return {
        "config": plan.file,
        "workspace": plan.workspace,
        "changes": plan.change.changed,
        "diff": plan.diff(),
        "plugins": dict(plan.toggles),
    }


def _show_plan(out: Console, plan: ConfigurationPlan) -> None:
    out.print(tr("Configuration  [cyan]{file}[/cyan]", file=shown(str(plan.file))))
    out.print(tr("Workspace      [cyan]{workspace}[/cyan]", workspace=shown(str(plan.workspace))))
    for problem in plan.problems:
        out.print(f"[yellow]{shown(tr(problem.message))}[/yellow]")
    off = [name for name, on in plan.toggles.items() if not on]
    told = tr("all of it, since it is installed")
    if off:
        told = tr("all but {names}, which the configuration switches off", names=", ".join(off))
    out.print(tr("Active         {count} plugins: {told}", count=len(plan.toggles) - len(off), told=shown(told)))
    if not plan.change.changed:
        out.print(tr("Nothing differs from the defaults: nothing to write."))
        return
    for line in plan.diff().splitlines()[2:]:
        colour = {"+": "green", "-": "red"}.get(line[:1], "dim")
        out.print(f"    {shown(line)}", style=colour)


def _is_open(plan: ConfigurationPlan) -> bool:
    """Return whether several people may write, and nobody has said yet who is one."""
    core = plan.memory.core
    return core.share == "auto" and bool(plan.senders.several) and not core.people


def _show_people(out: Console, plan: ConfigurationPlan) -> None:
    """Say who will see what, where more than one person may write."""
    core, several = plan.memory.core, ", ".join(plan.senders.several)
    if not several:
        return
    if core.share == "agent":
        out.print(
            tr(
                "[yellow]Everybody who writes sees every memory (share: agent), also in {several}.[/yellow]",
                several=shown(several),
            )
        )
    else:
        out.print(
            tr(
                "Several people may write in {several}: each sees their own memories (share: {share}).",
                several=shown(several),
                share=core.share,
            )
        )
    if _is_open(plan):
        out.print(tr("  Are you one of them? `nanobot-memory init --me telegram:111` makes your names one person."))


def _ask_names() -> list[str]:
    """Ask by which names the owner writes; none is an answer, too."""
    asked = tr("Your own names there, as telegram:111 slack:U1 (empty: none)")
    return str(typer.prompt(asked, default="", show_default=False)).replace(",", " ").split()


def _write(out: Console, plan: ConfigurationPlan, *, yes: bool, asks: bool) -> tuple[bool, Path | None]:
    """Write the plan when it is wanted; return whether it was, and where the previous file is."""
    if not plan.change.changed:
        return False, None
    if not yes:
        if not asks:
            return False, None
        try:
            if not agrees(tr("Write this?"), default=True):
                return False, None
        except typer.Abort:
            out.print()
            return False, None
    done = plan.write()
    out.print(tr("[green]Written.[/green] The previous file is {backup}.", backup=shown(str(done.backup))))
    return True, done.backup


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


# What one types first, in one's own language.
_SAMPLE = Sentence("Remember that our staging database listens on port 5433.")
_QUESTION = Sentence("Do you remember the port of the staging database?")


def _next_commands(plan: ConfigurationPlan, given: Path | None) -> list[str]:
    more = "" if given is None else f" --config {shlex.quote(str(plan.file))}"
    where = "" if given is None else f" --workspace {shlex.quote(str(plan.workspace))}"
    return [
        f'nanobot agent{more} -m "{tr(_SAMPLE)}"',
        f'nanobot agent{more} -s another -m "{tr(_QUESTION)}"',
        f'nanobot-memory why "{tr(_QUESTION)}"{where}',
        f"nanobot-memory entries list{where}",
    ]
