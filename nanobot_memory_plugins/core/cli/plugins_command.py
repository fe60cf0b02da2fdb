"""``nanobot-memory plugins``: every plugin that is installed, and its state."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table

from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    WorkspaceOption,
    print_json,
    read_configuration,
    resolve_workspace,
    run,
)
from nanobot_memory_plugins.core.config.models import ConfigProblem, MemoryConfig
from nanobot_memory_plugins.core.host.plugin_set import PluginReport, PluginSet
from nanobot_memory_plugins.redaction.script.messages import tr

_COLOURS = {"active": "green", "resting": "yellow", "disabled": "dim", "failed": "red"}


def plugins(
    everything: Annotated[bool, typer.Option("--all", help="Name the hooks of each, too.")] = False,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the installed plugins: distribution, version, hooks, and how they stand."""
    memory_config, problems = read_configuration(config)
    reports, problems = run(_look(resolve_workspace(workspace, guess=True), memory_config, problems))
    if as_json:
        print_json({"plugins": [_row(report) for report in reports], "problems": [_problem(one) for one in problems]})
        return
    out = console(wraps=True)
    out.print(plugins_table(reports))
    for report in reports if everything else ():
        out.print(f"[bold]{shown(report.name)}[/bold]")
        out.print(f"    {shown(', '.join(report.hooks) or tr('none'))}", soft_wrap=True)
    for report in reports:
        if report.error:
            out.print(f"[red]{shown(report.name)}[/red]: {shown(tr(report.error))}", soft_wrap=True)


def plugins_table(reports: list[PluginReport]) -> Table:
    """Return the plugins as a table for people."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    headings = (tr("plugin"), tr("distribution"), tr("version"), tr("state"), tr("hooks"))
    for heading in headings:
        table.add_column(heading, no_wrap=True, justify="right" if heading is headings[-1] else "left")
    for report in reports:
        state = report.state.value
        colour = _COLOURS.get(state, "default")
        table.add_row(
            shown(report.name),
            shown(report.distribution),
            shown(report.version),
            f"[{colour}]{tr(state)}[/{colour}]",
            str(len(report.hooks)),
        )
    return table


async def _look(
    workspace: Path, config: MemoryConfig, problems: list[ConfigProblem]
) -> tuple[list[PluginReport], list[ConfigProblem]]:
    """Import the enabled plugins and describe them all. Nothing is started, and no file is written."""
    found = PluginSet(workspace, config=config, problems=problems)
    try:
        await found.load()
        return found.reports(), found.problems
    finally:
        await found.close()


def _row(report: PluginReport) -> dict[str, Any]:
    return {
        "name": report.name,
        "distribution": report.distribution,
        "version": report.version,
        "hooks": list(report.hooks),
        "enabled": report.enabled,
        "state": report.state.value,
        "error": report.error,
    }


def _problem(problem: ConfigProblem) -> dict[str, str]:
    return {"key": problem.key, "message": problem.message, "source": problem.source}
