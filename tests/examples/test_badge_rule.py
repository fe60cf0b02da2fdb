"""The example of a redaction rule, installed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.redaction import redact_text, safe_preview
from tests.support.third_party import forget_installed_rules, install_example

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
