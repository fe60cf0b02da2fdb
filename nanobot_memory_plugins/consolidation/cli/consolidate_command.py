"""``nanobot-memory consolidate``: the daily consolidation, now."""

import asyncio
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from nanobot_memory_plugins.consolidation.cli.shown import opened
from nanobot_memory_plugins.consolidation.nightly.consolidation import NightlyConsolidation, Report
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import InputError, MemoryConfig, PluginContext, SystemClock
from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    WorkspaceOption,
    print_json,
    read_configuration,
    run,
    warn,
)
from nanobot_memory_plugins.core.cli.plain import say_note
from nanobot_memory_plugins.core.config.options import plugin_options
from nanobot_memory_plugins.core.files.prompts import Prompts
from nanobot_memory_plugins.core.language_model.access import LanguageModel, offered_model
from nanobot_memory_plugins.core.language_model.ledger import UsageLedger
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.scopes.scopes import offered_scopes
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.redaction.script.messages import tr

_WORDS = {"add": "added", "merge": "merged", "update": "updated", "archive": "archived"}


def consolidate(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Ask the model, show what it wants, write nothing.")
    ] = False,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Consolidate recent notes into long-term entries, as the nightly job does."""
    repository = opened(workspace)
    configuration, problems = read_configuration(config)
    options, more = plugin_options(configuration, "consolidation", ConsolidationOptions)
    warn([*problems, *more])
    report, has_model = run(_run(repository, configuration, options, dry_run))
    if as_json:
        print_json({**_row(report, repository), "dry_run": dry_run, "model": has_model})
        return
    for line in _report_lines(report, has_model, dry_run):
        console().print(shown(line))


async def _run(
    repository: EntryRepository, configuration: MemoryConfig, options: Any, dry_run: bool
) -> tuple[Report, bool]:
    clock, workspace = SystemClock(), repository.paths.workspace
    offered = await asyncio.to_thread(offered_model, lambda problem: say_note(tr(problem)))
    model = None
    if offered is not None:
        ledger = UsageLedger(StateDatabase.of(repository.paths))
        limits = configuration.core.language_model
        model = LanguageModel(offered, plugin="consolidation", options=limits, ledger=ledger, clock=clock)
    redaction = ContactRedaction(configuration.redaction.contacts)
    context = PluginContext(
        plugin_name="consolidation",
        workspace=workspace,
        options=options,
        clock=clock,
        complete=model,
        redact=redaction.of_others,
        redact_said=redaction.of_people,
        scopes=offered_scopes(workspace, configuration),
        prompts=Prompts.of(workspace, configuration.core.prompt_folder, configuration.core.wishes),
    )
    consolidation = NightlyConsolidation(context)
    if dry_run:
        return await consolidation.run(dry_run=True), model is not None
    async with consolidation.alone() as is_alone:
        if not is_alone:
            raise InputError("Another process is consolidating this workspace.", hint="Try again in a minute.")
        return await consolidation.run(), model is not None


def _row(report: Report, repository: EntryRepository) -> dict[str, Any]:
    """Return what was done, for programs."""
    outcome = report.outcome
    done = [
        {"op": operation.kind, "id": operation.id, "content": operation.text, "gone": list(operation.gone)}
        for operation in report.done
    ]
    return {
        "ok": not report.failed,
        "new": not report.idle,
        "calls": report.calls,
        "operations": done,
        "dropped": report.dropped,
        "refused": report.refused,
        "failed": report.failed,
        "run": outcome.run.id if outcome is not None and outcome.run is not None else None,
        "file": repository.paths.relative(repository.path),
        "commit": report.commit or None,
    }


def _report_lines(report: Report, has_model: bool, dry_run: bool) -> Iterator[str]:
    """Say what was done, a line each."""
    for operation in report.done:
        gone = tr(" (with {ids})", ids=", ".join(operation.gone)) if operation.gone else ""
        yield f"{tr(_WORDS[operation.kind])} {operation.id}{gone}  {operation.text}"
    for reason in report.dropped:
        yield tr("not done, {what}", what=tr(reason))
    if report.refused:
        yield tr("Refused: {refused}.", refused=tr(report.refused))
    if report.failed:
        yield tr("The model gave nothing: {failed}", failed=tr(report.failed))
    if not has_model:
        yield tr("There is no language model to ask: entries faded, and those of the same words became one.")
    elif report.idle:
        yield tr("Nothing is new since the last time: the model was not asked.")
    elif report.calls and not (report.done or report.dropped or report.refused or report.failed):
        yield tr("The model was asked, and wants nothing changed.")
    if dry_run:
        yield tr("Nothing was written.")
    elif report.outcome is not None and report.outcome.run is not None:
        yield tr("{name}, run {id}", name=report.outcome.path.name, id=report.outcome.run.id)
