"""`nanobot-memory audit`: the faults of entries, and the commands that fix them."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.cli.main import run_command_line

from .made_entries import added, days, entry


def test_each_kind_of_fault_is_found_and_nothing_else(workspace: Path, capsys):
    now = datetime.now(UTC)
    tea, again = entry("tea", "The user likes green tea"), entry("again", "Green tea the user likes!", 0.7)
    old = entry("old", "The user parks on level 3", last_activated=now - days(100))
    kept = replace(old, id="kept", content="The user has a cellar", pinned=True)
    todo = entry("todo", "Send the slides", category="todo", expires_at=now - days(1))
    over, holds = (
        entry("over", "The user lives in Bonn", superseded_by="holds"),
        entry("holds", "The user lives in Kiel"),
    )
    fresh = [replace(one, last_activated=now) for one in (tea, again, todo, over, holds)]
    EntryRepository(workspace).update(added(old, kept, *fresh), who="user", why="add")
    assert run_command_line(["audit", "--workspace", str(workspace), "--json"]) == 0
    faults = json.loads(capsys.readouterr().out.splitlines()[-1])["faults"]
    assert {fault["kind"]: fault["ids"] for fault in faults} == {
        "near-duplicate": ["again", "tea"],
        "stale": ["old"],
        "expired todo": ["todo"],
        "contradicted": ["over", "holds"],
    }
    assert faults[0]["hint"] == "nanobot-memory entries forget again"
