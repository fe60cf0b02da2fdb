"""``nanobot-memory doctor``: what works on this machine, what does not, and how to repair it."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from nanobot_memory_plugins.core.cli.console import console, escape
from nanobot_memory_plugins.core.cli.findings import machine_findings, pause_finding, people_finding
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    WorkspaceOption,
    print_json,
    resolve_workspace,
    run,
)
from nanobot_memory_plugins.core.config.models import MemoryConfig
from nanobot_memory_plugins.core.config.reading import load_config
from nanobot_memory_plugins.core.errors import NanobotMemoryError
from nanobot_memory_plugins.core.host.memory_host import MemoryHost
from nanobot_memory_plugins.core.host.plugin_set import PluginSet
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.scopes.scopes import installed_senders
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import Sentence, join_sentences, tr

_FAILED = 1
# In the order in which findings are printed.
HEALTH_COLOURS = {Health.BAD: "red", Health.DEGRADED: "yellow", Health.INFO: "cyan", Health.GOOD: "green"}
_WORKSPACE_FIRST = "Repair that first, or name another folder with --workspace."


def doctor(
    everything: Annotated[bool, typer.Option("--all", help="Show what is good, too.")] = False,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check the installation: Python, workspace, plugins, configuration, index and embedding model.

    What is wrong comes first, with what helps; --all shows what is good, too. It starts the memory as a host would. The
    exit status is 1 when something is bad, not when it is only degraded.
    """
    findings = run(collect_findings(resolve_workspace(workspace, guess=True), load_config(config)))
    ok = not any(finding.health is Health.BAD for finding in findings)
    if as_json:
        print_json({"ok": ok, "findings": list(map(asdict, findings))})
    else:
        out = console()
        show_findings(findings, out, everything=everything)
        out.print(
            join_sentences(summary_line(findings), "" if everything else "`nanobot-memory doctor --all` shows each.")
        )
    if not ok:
        raise typer.Exit(_FAILED)


async def collect_findings(workspace: Path, config: MemoryConfig) -> list[Finding]:
    """Start the memory of a workspace as a host would, and return the findings; each problem has a hint."""
    findings = await asyncio.to_thread(machine_findings, workspace)
    config_findings = [problem.finding for problem in config.problems]
    if any(finding.health is Health.BAD for finding in findings):
        not_started = Finding("memory", "not started, because of the workspace", Health.BAD, _WORKSPACE_FIRST)
        return [finding.with_hint() for finding in (*findings, *config_findings, not_started)]
    logger.disable(PluginSet.__module__)  # the findings contain what it would log about plugins and options
    try:
        senders = await asyncio.to_thread(installed_senders, workspace, config)
        async with MemoryHost(workspace, config=config, senders=lambda: senders) as memory:
            reported = [people_finding(workspace, config, senders), *await memory.diagnose()]
    except NanobotMemoryError as error:
        state = Sentence("it cannot start: {cause}", cause=error.cause)
        reported = [*config_findings, Finding("memory", state, Health.BAD, error.hint)]
    finally:
        logger.enable(PluginSet.__module__)
    findings += [await asyncio.to_thread(pause_finding, workspace), *reported]
    return [finding.with_hint() for finding in findings]


def show_findings(findings: Sequence[Finding], out: Console, *, everything: bool = False) -> None:
    """Print findings with their hints, the worst first; with ``everything`` also those that are no problem.

    Long lines are left to the terminal to wrap, so that paths and commands can be copied whole.
    """
    for health, colour in HEALTH_COLOURS.items():
        for finding in findings:
            if finding.health is not health or (health in (Health.INFO, Health.GOOD) and not everything):
                continue
            line = escape(tr(finding.subject) + tr(": ") + tr(finding.state))
            out.print(f"[{colour}]{tr(health.value)}[/{colour}]  {line}", soft_wrap=True)
            if finding.hint:
                out.print(f"    -> {escape(tr(finding.hint))}", soft_wrap=True)


def summary_line(findings: Sequence[Finding]) -> str:
    """Return the number of findings of each health, as one line."""
    counts = {health: sum(one.health is health for one in findings) for health in HEALTH_COLOURS}
    return tr(", ").join(f"{tr(health.value)}{tr(': ')}{count}" for health, count in counts.items() if count) + tr(".")
