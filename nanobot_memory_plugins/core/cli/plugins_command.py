"""``nanobot-memory plugins``: every plugin that is installed, and its state."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.core.cli.console import console, show_table, shown
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
        print_json(
            {
                "plugins": [asdict(one) | {"enabled": one.enabled} for one in reports],
                "problems": [asdict(one) for one in problems],
            }
        )
        return
    out = console(wraps=True)
    headings = (tr("plugin"), tr("distribution"), tr("version"), tr("state"), tr("hooks"))
    show_table(headings, [_cells(report) for report in reports], out, whole=range(5), right=(4,))
    for report in reports if everything else ():
        out.print(f"[bold]{shown(report.name)}[/bold]")
        out.print(f"    {shown(', '.join(report.hooks) or tr('none'))}", soft_wrap=True)
    for report in reports:
        if report.error:
            out.print(f"[red]{shown(report.name)}[/red]: {shown(tr(report.error))}", soft_wrap=True)


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


def _cells(report: PluginReport) -> tuple[str, ...]:
    coloured = f"[{_COLOURS[report.state]}]{tr(report.state)}[/]"
    return shown(report.name), shown(report.distribution), shown(report.version), coloured, str(len(report.hooks))
