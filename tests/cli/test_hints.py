"""Every problem that the doctor reports has a hint with a command to run or a key to set."""

import json
import re
from pathlib import Path

from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.testing import install_plugin

# A command, an option, a key of the configuration, or a variable.
ACTION = re.compile(
    r"`?nanobot-memory \w|pip install|--[a-z]|memoryPlugins\.|NANOBOT_[A-Z]|`(?:rm|mv|chmod|df|sudo chown) "
)


NO_HINTS = """
    from nanobot_memory_plugins.core import hookimpl
    from nanobot_memory_plugins.core.values.diagnosis import Finding, Health

    @hookimpl
    def diagnose():
        return [Finding("disk", "slow", Health.DEGRADED), Finding("fan", "off", Health.BAD, "  ")]
"""


def test_every_problem_of_a_broken_installation_has_a_hint(tmp_path: Path, monkeypatch, capsys):
    install_plugin(tmp_path, monkeypatch, "shrugs", NO_HINTS)
    install_plugin(tmp_path, monkeypatch, "breaks", "raise ImportError('x')")
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "shrugs,breaks,recall,observation")
    options = tmp_path / "options.json"
    options.write_text('{"memoryPlugins": {"recall": {"heavyTopK": "x"}, "recal": {}}}')
    (tmp_path / "new").mkdir()
    code = run_command_line(["doctor", "-w", str(tmp_path / "new"), "-c", str(options), "--json"])
    findings = json.loads(capsys.readouterr().out.splitlines()[-1])["findings"]
    problems = [one for one in findings if one["health"] != "good"]
    assert code == 1
    assert {"disk", "fan", "plugin breaks", "recall"} <= {one["subject"] for one in problems}
    for problem in problems:
        assert ACTION.search(problem["hint"]), problem
