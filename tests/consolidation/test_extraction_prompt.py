"""What the model is asked."""

import json
from datetime import date

import pytest

from nanobot_memory_plugins.consolidation.extraction.prompt import extraction_prompt

from .made_entries import entry

SUNDAY = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("language", "heading", "said"), [("en", "Check", "I live in Kiel"), ("zh", "核对", "我住在基尔")]
)
def test_only_who_has_something_to_check_is_asked_to_and_shown_how(language, heading, said):
    """A small model answers for the ids of the example where there are none of its own."""
    plain = extraction_prompt(f"user: {said}", [entry()], language, SUNDAY)
    checking = extraction_prompt(f"user: {said}", [entry()], language, SUNDAY, checked=[entry()])
    assert heading not in json.dumps(plain, ensure_ascii=False)
    assert "k1" not in json.dumps(plain)
    assert [heading in one["content"] for one in checking] == [True, True, False, True]
    for prompt in (plain, checking):
        assert [one["role"] for one in prompt] == ["system", "user", "assistant", "user"]
        assert "{" not in prompt[0]["content"]
        rows = json.loads(prompt[2]["content"])
        assert rows[-1]["expires_at"] == "2024-03-08"
