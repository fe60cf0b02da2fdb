"""Whatever the doctor finds wrong, it says what to type or which key to set."""

import ast
import importlib
import inspect
import json
import re
import textwrap
from pathlib import Path

from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.testing import install_plugin
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from tests.support.each import each

ROOT = Path(__file__).parents[2] / "nanobot_memory_plugins"
# A command, an option, a key of the configuration, or a variable.
NAMES_SOMETHING = re.compile(
    r"`?nanobot-memory \w|pip install|--[a-z]|memoryPlugins\.|NANOBOT_[A-Z]|`(?:rm|mv|chmod|df|sudo chown) "
)

IMPORTS_FINDING = re.compile(r"(?:values\.diagnosis|plugins\.core) import (?:\([^)]*|.*)\bFinding\b")


def findings_in_the_code() -> list[tuple[str, ast.Call, str]]:
    """Return each place where a finding is made: where it is, the call, and the module."""
    found: list[tuple[str, ast.Call, str]] = []
    for file in sorted(ROOT.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if not IMPORTS_FINDING.search(text):
            continue
        where = file.relative_to(ROOT)
        module = ".".join(("nanobot_memory_plugins", *where.with_suffix("").parts))
        found += [
            (f"{where}:{node.lineno}", node, module)
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Finding"
        ]
    return found


def argument(call: ast.Call, place: int, name: str) -> ast.expr | None:
    if len(call.args) > place:
        return call.args[place]
    return next((one.value for one in call.keywords if one.arg == name), None)


def texts_of(node: ast.expr, module: str) -> list[str]:
    """Return the fixed texts in an expression; names stand for what they are in their module."""
    found = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    values = [getattr(importlib.import_module(module), name, None) for name in names]
    for made in filter(inspect.isfunction, values):  # it makes the text
        made_of = ast.walk(ast.parse(textwrap.dedent(inspect.getsource(made))))
        found += [one.value for one in made_of if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return found + [value for value in values if isinstance(value, str)]


FOUND = findings_in_the_code()


def test_the_findings_of_the_code_are_found():
    assert len(FOUND) > 25


@each(("where", "call", "module"), FOUND)
def test_every_problem_in_the_code_has_a_mend_that_names_a_command_or_a_key(where, call, module):
    health = argument(call, 2, "health")
    if health is None or ast.unparse(health) in ("Health.GOOD", "Health.INFO"):
        return
    hint = argument(call, 3, "hint")
    assert hint is not None, f"{where}: a problem without a hint"
    told = " ".join(texts_of(hint, module))
    # What stands in an error or a status comes from elsewhere; the doctor fills in what is missing there.
    comes_from_elsewhere = any(isinstance(one, ast.Attribute) and one.attr == "hint" for one in ast.walk(hint))
    assert comes_from_elsewhere or NAMES_SOMETHING.search(told), f"{where}: {told!r}"


def test_what_others_report_without_a_mend_gets_one():
    bare = Finding("disk", "slow", Health.DEGRADED)
    assert NAMES_SOMETHING.search(bare.with_hint().hint)
    assert Finding("disk", "good").with_hint() == Finding("disk", "good")
    assert Finding("disk", "slow", Health.BAD, "Buy one.").with_hint().hint == "Buy one."


SHRUGS = """
    from loguru import logger
    from nanobot_memory_plugins.core import hookimpl
    from nanobot_memory_plugins.core.values.diagnosis import Finding, Health

    @hookimpl
    def diagnose():
        logger.warning("something is odd")
        return [Finding("disk", "slow", Health.DEGRADED), Finding("fan", "off", Health.BAD, "  ")]
"""


def test_a_broken_installation_is_told_with_a_mend_for_each_problem(tmp_path: Path, monkeypatch, capsys):
    install_plugin(tmp_path, monkeypatch, "shrugs", SHRUGS)
    install_plugin(tmp_path, monkeypatch, "breaks", "raise ImportError('x')")
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "shrugs,breaks,recall,observation")
    options = tmp_path / "options.json"
    options.write_text('{"memoryPlugins": {"recall": {"heavyTopK": "x"}, "recal": {}}}')
    (tmp_path / "new").mkdir()
    code = run_command_line(["doctor", "-w", str(tmp_path / "new"), "-c", str(options), "--json"])
    findings = json.loads(capsys.readouterr().out.splitlines()[-1])["findings"]
    problems = [one for one in findings if one["health"] != "good"]
    assert code == 1
    assert {"disk", "fan", "warning", "plugin breaks", "recall"} <= {one["subject"] for one in problems}
    for problem in problems:
        assert NAMES_SOMETHING.search(problem["mend"]), problem
