"""The example of a redaction rule, installed and used by a whole memory."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.core.redaction import redact_text, safe_preview
from nanobot_memory_plugins.core.redaction.installed_rules import forget_installed_rules
from tests.support.files_of import contents_of, holders_of
from tests.support.patient import patient_config
from tests.support.third_party import install_example

CONFIG = patient_config()
ISSUED, NOT_ISSUED = "BDG-120407", "BDG-120401"  # 1 + 2 + 0 + 4 + 0 = 7


@pytest.fixture
def badge_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "installed").mkdir()
    install_example(tmp_path / "installed", monkeypatch, "badge_rule")
    forget_installed_rules()
    yield
    forget_installed_rules()


def test_with_it_the_badge_is_hidden_wherever_text_is_redacted(badge_rule):
    assert redact_text(f"badges {ISSUED} and {NOT_ISSUED}") == f"badges [BADGE] and {NOT_ISSUED}"
    assert safe_preview({"badge": ISSUED}) == '{"badge": "[BADGE]"}'
    assert redact_text("full-width BDG－１２０４０７") == "full-width [BADGE]"


async def test_no_file_and_no_hit_of_a_memory_holds_a_badge(badge_rule, tmp_path: Path):
    workspace = tmp_path / "workspace"
    async with MemoryHost(workspace, config=CONFIG) as memory:
        await memory.message_received(session_key="cli:one", text=f"In the archive I wear badge {ISSUED} on my coat.")
        await memory.tool_executed(
            session_key="cli:one", tool_name="exec", arguments={"of": ISSUED}, result=f"is {ISSUED}"
        )
        await memory.flush_index()
        asked = await memory.message_received(
            session_key="cli:two", text="Do you remember which badge I wear in the archive?"
        )
        assert asked.block is not None
        assert "In the archive I wear badge [BADGE] on my coat." in asked.block
        findings = {finding.subject: finding.state for finding in await memory.diagnose()}
    assert findings["redaction rules badge"] == "1 in use (example-badge-rule 0.1.0)"
    assert len(contents_of(workspace)) >= 3
    assert holders_of(workspace, ISSUED) == []
