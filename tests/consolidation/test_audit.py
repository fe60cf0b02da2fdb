"""What is wrong with entries, and what fixes it."""

from dataclasses import replace

from nanobot_memory_plugins.consolidation.cli.audit_command import FaultKind, faults_of

from .made_entries import NOW, days, entry


def test_each_kind_of_fault_is_found_and_nothing_else():
    tea, again = entry("tea", "The user likes green tea"), entry("again", "The user loves green tea", 0.7)
    old = entry("old", "The user parks on level 3", last_activated=NOW - days(100))
    kept = replace(old, id="kept", content="The user has a cellar", kept_in="active")
    todo = entry("todo", "Send the slides", category="todo", expires_at=NOW - days(1))
    over, holds = (
        entry("over", "The user lives in Bonn", superseded_by="holds"),
        entry("holds", "The user lives in Kiel"),
    )
    entries = {one.id: one for one in (tea, again, old, kept, todo, over, holds)}
    found = {fault.kind: fault.ids for fault in faults_of(entries, NOW)}
    assert found == {
        FaultKind.NEAR_DUPLICATE: ("again", "tea"),
        FaultKind.STALE: ("old",),
        FaultKind.EXPIRED: ("todo",),
        FaultKind.CONTRADICTED: ("over", "holds"),
    }
    assert faults_of({"tea": tea, "kept": kept}, NOW) == []
