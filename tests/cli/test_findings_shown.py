"""What the doctor shows: what is wrong first, remedies that can be copied, nothing broken at 80 columns."""

import io

from nanobot_memory_plugins.core.cli.console import PrintableConsole
from nanobot_memory_plugins.core.cli.findings_shown import show_findings
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health

PATH = "/home/someone/.nanobot/workspace/a-rather-long-name-of-a-folder/.storage/memory.db.broken-20261122T101112"
REMEDY = f"rm {PATH}"
FINDINGS = [
    Finding("python", "3.11.7 on Linux x86_64 (/home/someone/project/with/a/long/name/.venv/bin/python)"),
    Finding("quarantine", f"a damaged index was put aside as {PATH}", Health.DEGRADED, f"When you like: `{REMEDY}`."),
    Finding(
        "nanobot seam: draft review", "not possible: nanobot-ai shows a draft before anything sees it", Health.INFO
    ),
    Finding("index [x]", "torn [/red]", Health.BAD, "Set memoryPlugins.storage.enabled to true."),
]


def shown(findings: list[Finding], *, terminal: bool = True, everything: bool = False, width: int = 80) -> list[str]:
    out = PrintableConsole(file=io.StringIO(), width=width, force_terminal=terminal, soft_wrap=True, color_system=None)
    show_findings(findings, out, everything=everything)
    return out.file.getvalue().splitlines()


def test_what_is_wrong_comes_first_with_what_helps():
    lines = shown(FINDINGS, width=40)
    assert [line.split()[0] for line in lines if line and not line.startswith(" ")][:2] == ["bad", "degraded"]
    assert lines[0] == "bad  index [x]"
    assert PATH in " ".join(lines)
    assert lines[-1] == ("1 bad, 1 degraded, 1 good, 1 for information. `nanobot-memory doctor --all` shows each.")
    assert not any("python" in line for line in lines)


def test_a_pipe_has_one_finding_a_line_and_all_of_them():
    lines = shown(FINDINGS, terminal=False)
    assert [line.split()[0] for line in lines] == ["bad", "degraded", "info", "good"]
    assert lines[1].endswith(f"-> When you like: `{REMEDY}`.")
