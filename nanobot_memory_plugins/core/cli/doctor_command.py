"""``nanobot-memory doctor``: what works on this machine, what does not, and what helps."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.core.cli.console import console
from nanobot_memory_plugins.core.cli.findings import (
    machine_findings,
    memory_file_findings,
    people_finding,
)
from nanobot_memory_plugins.core.cli.findings_shown import show_findings
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
from nanobot_memory_plugins.core.errors import NanobotMemoryError
from nanobot_memory_plugins.core.host.memory_host import MemoryHost
from nanobot_memory_plugins.core.scopes.workspace_scopes import offered_senders
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import Sentence

_FAILED = 1
_FIRST = "Repair that first, or name another folder with --workspace."


def doctor(
    everything: Annotated[bool, typer.Option("--all", help="Show what is good, too.")] = False,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check the installation: Python, workspace, plugins, configuration, index and embedding model.

    What is wrong comes first, with what helps. In a pipe each finding is one line. It starts the memory as a host
    would. The exit status is 1 when something is bad, not when it is only degraded.
    """
    memory_config, problems = read_configuration(config)
    findings = run(examine(resolve_workspace(workspace, guess=True), memory_config, problems))
    ok = not any(finding.health is Health.BAD for finding in findings)
    if as_json:
        print_json({"ok": ok, "findings": [finding_row(finding) for finding in findings]})
    else:
        show_findings(findings, console(), everything=everything)
    if not ok:
        raise typer.Exit(_FAILED)


async def examine(workspace: Path, config: MemoryConfig, problems: list[ConfigProblem]) -> list[Finding]:
    """Start the memory of a workspace as a host would, and return what is found; each problem has a hint."""
    findings = await asyncio.to_thread(machine_findings, workspace)
    if any(finding.health is Health.BAD for finding in findings):
        findings.append(Finding("memory", "not started, because of the workspace", Health.BAD, _FIRST))
        return [finding.with_hint() for finding in findings]
    try:
        senders = await asyncio.to_thread(offered_senders, workspace, config)
        async with MemoryHost(workspace, config=config, problems=problems, senders=lambda: senders) as memory:
            reported = [people_finding(workspace, config, senders), *await memory.diagnose()]
    except NanobotMemoryError as error:
        reported = [Finding("memory", Sentence("it cannot start: {cause}", cause=error.cause), Health.BAD, error.hint)]
    findings += [*await asyncio.to_thread(memory_file_findings, workspace), *reported]
    return [finding.with_hint() for finding in findings]


def finding_row(finding: Finding) -> dict[str, str]:
    """Return a finding for programs."""
    return {
        "subject": finding.subject,
        "state": finding.state,
        "health": finding.health.value,
        "hint": finding.hint,
        "mend": finding.hint,
    }
