"""``nanobot-memory consolidate``: the daily consolidation, now."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from nanobot_memory_plugins.consolidation.cli.shown import opened
from nanobot_memory_plugins.consolidation.nightly.consolidation import NightlyConsolidation, Report
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import InputError
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
from nanobot_memory_plugins.core.host.plugin_set import PluginSet
from nanobot_memory_plugins.core.language_model.access import offered_model
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
    model = offered_model(lambda problem: say_note(tr(problem)))
    plugins = PluginSet(repository.paths.workspace, config=configuration, llm=model, problems=problems)
    context = plugins.context_of("consolidation", ConsolidationOptions)
    warn(plugins.problems)
    report = run(_run(NightlyConsolidation(context), dry_run))
    if as_json:
        print_json({**_row(report, repository), "dry_run": dry_run, "model": model is not None})
        return
    for line in _report_lines(report, repository.path.name, model is not None, dry_run):
        console().print(shown(line))


async def _run(consolidation: NightlyConsolidation, dry_run: bool) -> Report:
    if dry_run:
        return await consolidation.run(dry_run=True)
    async with consolidation.alone() as is_alone:
        if not is_alone:
            raise InputError("Another process is consolidating this workspace.", hint="Try again in a minute.")
        return await consolidation.run()


def _row(report: Report, repository: EntryRepository) -> dict[str, Any]:
    """Return what was done, for programs."""
    outcome = report.outcome
    done = [
        {"op": operation.kind, "id": operation.id, "content": operation.text, "gone": list(operation.gone)}
        for operation in report.applied.done
    ]
    return {
        "ok": not report.failed,
        "new": not report.idle,
        "calls": report.calls,
        "operations": done,
        "dropped": report.applied.dropped,
        "refused": report.applied.refused,
        "failed": report.failed,
        "run": outcome.run.id if outcome is not None and outcome.run is not None else None,
        "file": repository.paths.relative(repository.path),
        "commit": report.commit or None,
    }


def _report_lines(report: Report, name: str, has_model: bool, dry_run: bool) -> Iterator[str]:
    """Say what was done, a line each."""
    applied = report.applied
    for operation in applied.done:
        gone = tr(" (with {ids})", ids=", ".join(operation.gone)) if operation.gone else ""
        yield f"{tr(_WORDS[operation.kind])} {operation.id}{gone}  {operation.text}"
    for reason in applied.dropped:
        yield tr("not done, {what}", what=tr(reason))
    if applied.refused:
        yield tr("Refused: {refused}.", refused=tr(applied.refused))
    if report.failed:
        yield tr("The model gave nothing: {failed}", failed=tr(report.failed))
    if not has_model:
        yield tr("There is no language model to ask: entries faded.")
    elif report.idle:
        yield tr("Nothing is new since the last time: the model was not asked.")
    elif report.calls and not (applied.done or applied.dropped or applied.refused or report.failed):
        yield tr("The model was asked, and wants nothing changed.")
    if dry_run:
        yield tr("Nothing was written.")
    elif report.outcome is not None and report.outcome.run is not None:
        yield tr("{name}, run {id}", name=name, id=report.outcome.run.id)
