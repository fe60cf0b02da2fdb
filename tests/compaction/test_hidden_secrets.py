"""Text that cannot be redacted is not shown to the model that summarises."""

from nanobot_memory_plugins.compaction.transcript import safe_text


def test_a_failing_redactor_lets_no_text_through():
    def broken(text: str) -> str:
        raise ValueError(text)

    assert "Zephyr7M7iV1nSUx" not in safe_text("password=Zephyr7M7iV1nSUx", broken)
