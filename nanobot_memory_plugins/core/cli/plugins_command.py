"""``nanobot-memory plugins``: the installed plugins and their states."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from nanobot_memory_plugins.core.cli.console import console, escape, show_table
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    WorkspaceOption,
    print_json,
    resolve_workspace,
    run,
)
from nanobot_memory_plugins.core.config.models import ConfigProblem, MemoryConfig
from nanobot_memory_plugins.core.config.reading import load_config
from nanobot_memory_plugins.core.host.memory_host import MemoryHost
from nanobot_memory_plugins.redaction.script.messages import tr

_COLOURS = {"active": "green", "resting": "yellow", "disabled": "dim", "failed": "red"}


def plugins(
    everything: Annotated[bool, typer.Option("--all", help="Also list the hooks of each.")] = False,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the installed plugins: distribution, version, state and hooks."""
    rows, problems = run(_describe_plugins(resolve_workspace(workspace, guess=True), load_config(config)))
    if as_json:
        print_json({"plugins": rows, "problems": [asdict(one) for one in problems]})
        return
    out = console(wraps=True)
    headings = (tr("plugin"), tr("distribution"), tr("version"), tr("state"), tr("hooks"))
    show_table(headings, list(map(_table_row, rows)), out, whole=range(5), right=(4,))
    for row in rows if everything else ():
        out.print(f"[bold]{escape(row['name'])}[/bold]")
        out.print(f"    {escape(', '.join(row['hooks']) or tr('none'))}", soft_wrap=True)
    for row in rows:
        if row["error"]:
            out.print(f"[red]{escape(row['name'])}[/red]: {escape(tr(row['error']))}", soft_wrap=True)


async def _describe_plugins(workspace: Path, config: MemoryConfig) -> tuple[list[dict[str, Any]], list[ConfigProblem]]:
    """Import the enabled plugins and return a JSON object of each plugin. No plugin is started, no file is written."""
    plugin_set = MemoryHost(workspace, config=config).plugins
    try:
        await plugin_set.load()
        rows = [
            {
                "name": one.name,
                "distribution": one.distribution,
                "version": one.version,
                "hooks": one.hooks or (),
                "state": plugin_set.state_of(one),
                "error": one.error,
                "enabled": one.hooks is not None,
            }
            for one in plugin_set.discovered
        ]
        return rows, plugin_set.problems
    finally:
        await plugin_set.close()


def _table_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    coloured = f"[{_COLOURS[row['state']]}]{tr(row['state'])}[/]"
    return escape(row["name"]), escape(row["distribution"]), escape(row["version"]), coloured, str(len(row["hooks"]))
