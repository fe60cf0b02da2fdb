"""Rules of installed distributions: discovery, validation, and reports about unusable ones."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.redaction.installed_rules import installed_rules
from nanobot_memory_plugins.core.testing import install_plugin
from nanobot_memory_plugins.core.values.diagnosis import Health
from tests.support.third_party import forget_installed_rules

HEAD = """import re
from nanobot_memory_plugins.redaction.rules.rule import Rule
from nanobot_memory_plugins.core.redaction import redact_text
"""
GOOD = HEAD + 'rules = [Rule("ticket", "[TICKET]", re.compile("TCK-[0-9]+"))]\n'
SECRET = "hunter2!Tango"
BROKEN = {
    "raises": (f"raise ValueError('{SECRET}')", "ValueError"),
    "exits": ("raise SystemExit", "SystemExit"),
    "no_rules": ("rules = ['TCK-[0-9]+']", "they are to be rules for text, and one is str"),
    "none": ("rules = None", "they are to be rules for text, and one is NoneType"),
    "bytes": (HEAD + "rules = Rule('t', '[TT]', re.compile(b't'))", "rules for text"),
    "function_raises": (f"def rules(): raise KeyError('{SECRET}')", "KeyError"),
    "missing": ("", "AttributeError"),
}


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator:
    def put(name: str, source: str) -> None:
        folder = tmp_path / name
        folder.mkdir()
        install_plugin(folder, monkeypatch, name, source)
        points = next(folder.glob("*.dist-info")) / "entry_points.txt"
        points.write_text(f"[nanobot_memory_redaction_rules]\n{name} = third_party_{name}:rules\n", encoding="utf-8")
        forget_installed_rules()

    yield put
    monkeypatch.undo()
    forget_installed_rules()


def test_a_list_a_single_rule_and_a_function_are_accepted(install):
    install("list", GOOD)
    install("single", HEAD + 'rules = Rule("order", "[ORDER]", re.compile("ORD-[0-9]+"))\n')
    install("function", HEAD + 'def rules(): return (Rule("visit", "[VISIT]", re.compile("VIS-[0-9]+")),)\n')
    assert redact_text("TCK-1 ORD-2 VIS-3") == "[TICKET] [ORDER] [VISIT]"


@pytest.mark.parametrize("kind", BROKEN)
async def test_unusable_rules_are_reported_with_a_fix_and_the_others_work(
    install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind
):
    source, reason = BROKEN[kind]
    install("broken", source)
    install("good", GOOD)
    assert redact_text(f"TCK-1 password: {SECRET}") == "[TICKET] password: [REDACTED]"
    broken, good = installed_rules()
    assert reason in broken.error
    assert SECRET not in broken.error
    assert (broken.rules, len(good.rules), good.error) == ((), 1, "")
    if kind == "raises":
        monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "")
        async with MemoryHost(tmp_path / "workspace") as memory:
            (finding,) = [one for one in await memory.diagnose() if one.subject == "redaction rules broken"]
        assert finding.health is Health.BAD
        assert "third_party_broken" in finding.hint
