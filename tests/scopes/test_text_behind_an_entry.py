"""Text that somebody wrote behind an entry: the entry stays its user's, and the text is not the entry's."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryHost, Origin, Query, Scope

ENTRIES = """# Agent Memory

## Active Memories

### [a1b2c3d4] fact | 0.80 | 2026-03-01 | 0
My salary is 71000 quidlets
<!-- created: 2026-03-01T09:00:00+00:00; origin: summary; user: 222; channel: telegram -->

Written by hand: the attic is damp.

1. The cellar is dry.
"""


@pytest.mark.parametrize(
    "form", [ENTRIES, ENTRIES.replace("\n", "\r\n"), ENTRIES.replace("-->\n\nWritten", "-->\nWritten")]
)
async def test_an_entry_with_text_behind_it_stays_its_users(tmp_path: Path, monkeypatch, form: str):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage")
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "ENTRIES.md").write_bytes(form.encode())
    async with MemoryHost(tmp_path) as memory:
        await memory.flush_index()
        hits = (await memory.search(Query("salary quidlets attic cellar"))).hits
        (salary,) = [hit for hit in hits if "quidlets" in hit.text]
        assert salary.scope == Scope(user="222", channel="telegram")
        assert salary.origin is Origin.SUMMARY
        assert salary.text == "My salary is 71000 quidlets"
        by_hand = [hit for hit in hits if "attic" in hit.text]
        assert [hit.scope for hit in by_hand] == [Scope()]
        assert "cellar" in by_hand[0].text
        assert "### [" not in by_hand[0].text
        assert by_hand[0].line == form.splitlines().index("Written by hand: the attic is damp.") + 1
