"""What an older program left goes on working under this one, on a real nanobot: tests/data/kept_workspaces."""

import json
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from importlib.metadata import entry_points
from pathlib import Path

import apsw
import pytest

from nanobot_memory_plugins.bridge.demo.evidence import recalled_blocks
from nanobot_memory_plugins.consolidation.operations.migrate import POINTER
from nanobot_memory_plugins.consolidation.operations.undo import restore
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryHost, Query
from nanobot_memory_plugins.core.config import load_config
from nanobot_memory_plugins.core.config.options import plugin_options
from nanobot_memory_plugins.core.values import Visibility, Whose
from nanobot_memory_plugins.storage.database.schema import SCHEMA_VERSION

KEPT = Path(__file__).parents[1] / "data" / "kept_workspaces"
NAMES = ("plain", "nanobot")
ALLERGY, RISES, ACME = "my sister Kim is allergic to peanuts", "我每天六点半起床", "Acme pays within 14 days"
ENTRIES = {"plain": {ALLERGY, RISES}, "nanobot": {ALLERGY, RISES, ACME}}
EVERYTHING = Visibility(whose=(Whose(),))
# What finds it, and words of it.
FOUND = {
    "plain": [
        ("Kim allergic", "peanuts"),
        ("几点起床", "六点半"),
        ("cellar key", "barometer"),
        ("pear prune", "14 branches"),
        ("notes of mine port", "7071"),
    ],
    "nanobot": [
        ("Kim allergic", "peanuts"),
        ("几点起床", "六点半"),
        ("cellar key", "barometer"),
        ("larder jars", "eleven jars"),
        ("Acme pays", "14 days"),
        ("notes of mine port", "7071"),
    ],
}
# What only grows.
ORDERS_TO_FORGET = {"plain": 0, "nanobot": 1}
APPENDED = ("memory/20*.md", "memory/sessions/*.jsonl", "memory/.entries/journal.jsonl", "memory/.entries/purged")


@pytest.fixture
def opened(install, request):
    """Make a nanobot with a kept workspace and, where they were nanobot's, its options of then."""
    name = request.param
    kept = json.loads((KEPT / name / "config.json").read_text("utf-8"))
    options = kept["channels"]["memoryPlugins"] if name == "nanobot" else kept["memoryPlugins"]
    options.setdefault("recall", {})["recallTimeout"] = 20
    installation = install(options)
    shutil.copytree(KEPT / name, installation.workspace, dirs_exist_ok=True)
    with closing(sqlite3.connect(installation.workspace / ".storage" / "memory.db")) as index:
        index.executescript((KEPT / f"{name}.index.sql").read_text("utf-8"))
    return name, installation


def index_of(workspace: Path) -> tuple[int, int, set[str]]:
    """Return the schema of the index, how many documents are in it, and its files."""
    folder = workspace / ".storage"
    with closing(apsw.Connection(str(folder / "memory.db"), flags=apsw.SQLITE_OPEN_READWRITE)) as index:
        ((version,),) = index.execute("PRAGMA user_version").fetchall()
        ((count,),) = index.execute("SELECT count(*) FROM docs").fetchall()
    return (
        version,
        count,
        {path.name for path in folder.glob("memory.db*") if path.suffix == ".db" or "aside" in path.name},
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_options_of_then_are_all_read(name: str):
    config, problems = load_config(KEPT / name / "config.json")
    read = {}
    for found in entry_points(group="nanobot_memory_plugins"):
        read[found.name], wrong = plugin_options(config, found.name, getattr(found.load(), "Options", None))
        problems += wrong
    assert [problem.key.split(".")[-1] for problem in problems] == (["minRelativeOdds"] if name == "nanobot" else [])
    assert read["recall"].recall_top_k == 6
    assert read["summary"].summary_mode == "concat"
    assert config.core.message_limit == 20
    assert read["storage"].observation_max_age_days == 0


@pytest.mark.parametrize("opened", NAMES, indirect=True)
async def test_nothing_is_lost_the_entries_are_taken_over_and_a_turn_recalls_what_was_said(opened, server):
    name, nanobot = opened
    before = {path.relative_to(KEPT / name): path.read_bytes() for one in APPENDED for path in (KEPT / name).glob(one)}
    old = {one.id: one.content for one in EntryRepository(KEPT / name).load().entries.values()}
    loop = nanobot.loop()
    await loop.process_direct("Do you remember where my cellar key is?", session_key="cli:later")
    await loop.aclose()
    entries = EntryRepository(nanobot.workspace).load()
    assert entries.path.name == "ENTRIES.md"
    assert {one.content for one in entries.entries.values()} == ENTRIES[name] == set(old.values())
    assert {one.id: one.content for one in entries.entries.values()} == old
    long_term = (nanobot.workspace / "memory" / "MEMORY.md").read_bytes()
    assert long_term.startswith(b"# Notes of mine\n\nThe port is 7071.\n\n## Ideas\n\n- a bench below the pear tree\n")
    assert (POINTER in long_term) == (name == "plain")
    if name == "plain":
        was = (KEPT / name / "memory" / "MEMORY.md").read_bytes()
        assert (nanobot.workspace / "memory" / "MEMORY.md.bak").read_bytes() == was
    for path, data in before.items():
        assert (nanobot.workspace / path).read_bytes().startswith(data), path
    (asked,) = (request for request in server.requests if request.tool_names)
    assert "barometer" in "".join(recalled_blocks(asked))
    assert all(one in asked.system for one in ENTRIES[name])


@pytest.mark.parametrize("opened", NAMES, indirect=True)
async def test_the_index_of_then_is_brought_to_todays_form_and_everything_is_found(opened):
    name, nanobot = opened
    version, count, files = index_of(nanobot.workspace)
    assert version < SCHEMA_VERSION
    config, _ = load_config(nanobot.config_file)
    async with MemoryHost(nanobot.workspace, config=config) as memory:
        await memory.flush_index()
        for query, words in FOUND[name]:
            hits = (await memory.search(Query(query, scope=EVERYTHING, limit=5))).hits
            assert any(words in hit.text for hit in hits), query
    assert index_of(nanobot.workspace)[0] == SCHEMA_VERSION
    assert index_of(nanobot.workspace)[1] >= count - ORDERS_TO_FORGET[name]  # which are in no index now
    assert index_of(nanobot.workspace)[2] == files


@pytest.mark.parametrize("opened", ["nanobot"], indirect=True)
async def test_what_was_purged_then_stays_away_and_what_was_forgotten_comes_back(opened):
    _, nanobot = opened
    config, _ = load_config(nanobot.config_file)
    history = [{"role": "user", "content": "Remember that the boiler code is 4455."}] * 2
    history += [{"role": "user", "content": "And the bench below the pear tree is for my mother, who is eighty."}]
    async with MemoryHost(nanobot.workspace, config=config) as memory:
        await memory.session_idle(session_key="cli:2", history=history, ended=True)
        await memory.before_compaction(session_key="cli:2", messages=history, context_window=900, reason="overflow")
    assert "4455" not in nanobot.stored()
    assert "for my mother" in nanobot.stored()
    repository = EntryRepository(nanobot.workspace)
    gone = {
        change.before.id: change.before.content
        for run in repository.journal.runs()
        for change in run.changes
        if change.before
    }
    (dentist,) = (one for one, content in gone.items() if "Lindqvist" in content)
    restore(repository, dentist, now=datetime.now(UTC), who="user")
    assert any("Lindqvist" in one.content for one in repository.load().entries.values())
