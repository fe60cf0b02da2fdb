"""`nanobot-memory audit`: each fault is found, named and mended by the command that stands beside it."""

import json
import shlex
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.cli.audit import (
    AuditLimits,
    FaultKind,
    audit,
    candidate_pairs,
    junk_in,
    rates,
)
from nanobot_memory_plugins.consolidation.model.entry import Entry, Section
from nanobot_memory_plugins.consolidation.model.matcher import says_the_same
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.host.recall_log import RecallLedger
from nanobot_memory_plugins.core.values import Scope

from .made_entries import NOW, entry

DAY = timedelta(days=1)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def faults_of(*entries: Entry, **more) -> dict[FaultKind, list[tuple[str, ...]]]:
    options = more.pop("options", ConsolidationOptions())
    found = audit({one.id: one for one in entries}, now=more.pop("now", NOW), options=options, **more)
    by_kind: dict[FaultKind, list[tuple[str, ...]]] = {}
    for fault in found:
        assert fault.hint.startswith("nanobot-memory entries ")
        by_kind.setdefault(fault.kind, []).append(fault.ids)
    return by_kind


GOOD = [
    "The user likes oolong tea",
    "用户对花生过敏",
    "用户每天早上 9 点查看 A 股行情，关注新能源板块",
    "Deployments are done on Tuesdays at 18:00 from the release branch",
    "The user prefers answers without thanks",
    "The API of the shop listens on https://shop.example:8443/v2",
    "用户的生日是 1990-05-03",
    "下次回診是2027-01-15，時間未定",
    "Order no. 4711-0815-2233-4455",
    "Flug LH 1234, 2026-12-01 08:30",
    "车牌浙A12K88，保险2027-03-01到期",
    "Always answer in French, please",
]
JUNK = [
    ("NO_REPLY", "saying nothing"),
    ("the user", "says nothing"),
    ("用户。", "says nothing"),
    ("Traceback (most recent call last): KeyError", "machine"),
    ('{"status": "ok", "id": 17}', "machine"),
    ("2026-02-16 14:20:33.120 200 0.034 /v1/x 17:33 #### 0x7f", "machine"),
    ("https://example.org/a/b/c?d=1", "machine"),
]


@pytest.mark.parametrize("text", GOOD)
def test_what_people_remember_is_no_junk(text):
    assert junk_in(text) == ""


@pytest.mark.parametrize(("text", "why"), JUNK)
def test_junk_is_known_and_says_why(text, why):
    assert why in junk_in(text)


def test_near_duplicates_are_a_pair_whose_weaker_one_goes():
    one = entry("aaaa", "The user likes oolong tea", 0.9)
    two = entry("bbbb", "The user loves oolong tea", 0.5)
    assert faults_of(one, two)[FaultKind.NEAR_DUPLICATE] == [("bbbb", "aaaa")]
    assert FaultKind.NEAR_DUPLICATE not in faults_of(one, entry("bbbb", "The user likes green tea with milk", 0.5))
    assert FaultKind.NEAR_DUPLICATE not in faults_of(one, entry("bbbb", two.content, scope=Scope(user="bob")))
    assert FaultKind.NEAR_DUPLICATE not in faults_of(one, entry("bbbb", two.content, superseded_by="aaaa"))


def test_the_pairs_that_are_looked_at_are_all_that_say_the_same():
    subjects = ("tea", "coffee", "the red car", "乌龙茶", "port 5433", "Lisbon in May")
    texts = [f"The user {verb} {what}" for verb in ("likes", "loves", "does not like") for what in subjects]
    # What these two share is neither's rarest word.
    texts += ["The user employs apple banana", "The user likes apple banana cherry"]
    entries = {f"e{number:03}": entry(f"e{number:03}", text) for number, text in enumerate([*texts, *texts[:5]])}
    looked_at = set(candidate_pairs(entries))
    same = {
        (one, other)
        for one in entries
        for other in entries
        if one < other and says_the_same(entries[one].content, entries[other].content)
    }
    assert len(same) > 5
    assert same <= looked_at
    assert len(looked_at) < len(entries) * (len(entries) - 1) / 2


def test_stale_and_never_recalled_count_days_and_spare_what_a_person_keeps():
    old = NOW - 100 * DAY
    stale = entry("aaaa", "stale thing", 0.4, last_activated=old, hits=3)
    kept = entry("bbbb", "kept thing", 0.4, last_activated=old, kept_in=Section.ACTIVE)
    unused = entry("cccc", "unused thing", 0.4, created_at=NOW - 40 * DAY)
    recent = entry("dddd", "recent thing", 0.4, created_at=NOW - 10 * DAY)
    in_prompt = entry("eeee", "prompt thing", 0.9, created_at=NOW - 40 * DAY)
    all_of_them = (stale, kept, unused, recent, in_prompt)
    found = faults_of(*all_of_them, recorded_since=LONG_AGO)
    assert found[FaultKind.STALE] == [("aaaa",)]
    assert found[FaultKind.NEVER_RECALLED] == [("cccc",)]
    assert FaultKind.NEVER_RECALLED not in faults_of(*all_of_them, recorded_since=LONG_AGO, recalled={"cccc"})
    assert FaultKind.NEVER_RECALLED not in faults_of(*all_of_them), "nothing was recorded, so nothing can be said"
    assert FaultKind.NEVER_RECALLED not in faults_of(*all_of_them, recorded_since=NOW - 5 * DAY)
    assert ("dddd",) in faults_of(*all_of_them, recorded_since=LONG_AGO, limits=AuditLimits(90, 10))[
        FaultKind.NEVER_RECALLED
    ]


def test_what_is_good_enough_and_finds_no_room_is_over_budget():
    many = [entry(f"e{n}", f"thing number {n}", 0.9 - n / 100) for n in range(5)]
    options = ConsolidationOptions(prompt_entries=3)
    assert faults_of(*many, options=options)[FaultKind.OVER_BUDGET] == [("e3",), ("e4",)]
    long = entry("long", "word " * 4_000, 0.95)
    assert faults_of(long, *many)[FaultKind.OVER_BUDGET] == [("long",)]


def test_expired_todos_and_contradicted_pairs():
    todo = entry("aaaa", "call the bank", 0.15, category="todo", expires_at=NOW - DAY)
    later = entry("bbbb", "call the doctor", category="todo", expires_at=NOW + DAY)
    old = entry("cccc", "lives in Bonn", 0.4, superseded_by="dddd")
    new = entry("dddd", "lives in Lisbon", supersedes=("cccc",))
    lost = entry("eeee", "drives a Golf", superseded_by="gone")
    found = faults_of(todo, later, old, new, lost)
    assert found[FaultKind.EXPIRED] == [("aaaa",)]
    assert found[FaultKind.CONTRADICTED] == [("cccc", "dddd"), ("eeee",)]
    assert faults_of() == {}


def test_rates_are_shares_of_the_entries():
    entries = {one.id: one for one in (entry("aaaa", "NO_REPLY"), entry("bbbb", "likes tea"), entry("cccc", "a cat"))}
    found = rates(audit(entries, now=NOW, options=ConsolidationOptions()), entries)
    assert found["junk"] == pytest.approx(1 / 3)
    assert found["stale"] == 0
    assert rates([], {}) == {kind.value: 0.0 for kind in FaultKind}


def test_thousands_of_entries_take_seconds():
    entries = {
        f"e{n}": entry(f"e{n}", f"The user likes thing{n % 1_000} from shop{n % 300} in city{n % 170}")
        for n in range(3_000)
    }
    started = time.process_time()
    assert sum(1 for _ in candidate_pairs(entries)) > 0
    assert time.process_time() - started < 10  # comparing each with each takes far longer


@pytest.fixture
def call(workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    options = tmp_path / "options.json"
    options.write_text('{"memoryPlugins": {"storage": {"embeddingProvider": "none"}, "nanobot": false}}')

    def run(*arguments: str, text: bool = False):
        more = () if text else ("--json",)
        named = ("-c", str(options)) if arguments[0] == "audit" else ()
        assert run_command_line([*arguments, "-w", str(workspace), *named, *more]) == 0
        out = capsys.readouterr().out
        return out if text else json.loads(out.splitlines()[-1])

    return run


def test_the_command_names_each_entry_and_its_mend_does_away_with_the_fault(call, workspace: Path):
    now = datetime.now(UTC).replace(microsecond=0)
    made = [
        entry("aaaa", "NO_REPLY", last_activated=now),
        entry("bbbb", "The user likes oolong tea", 0.9, last_activated=now),
        entry("cccc", "The user loves oolong tea", 0.5, last_activated=now),
        entry("dddd", "unused thing", 0.4, last_activated=now, created_at=now - 40 * DAY),
        entry("eeee", "recalled thing", 0.4, last_activated=now, created_at=now - 40 * DAY),
    ]
    EntryRepository(workspace).update(lambda _: {one.id: one for one in made}, who="test", why="add")
    ledger = RecallLedger(workspace, ManualClock(now - 60 * DAY))
    ledger.record(["memory/2026-01-01.md#cccc", "memory/ENTRIES.md#eeee/1"], 10)
    told = call("audit")
    assert (told["entries"], told["recorded_turns"]) == (5, 1)
    assert told["rates"]["junk"] == 0.2
    by_kind = {fault["kind"]: fault for fault in told["faults"]}
    assert by_kind.keys() == {"junk", "near-duplicate", "never recalled"}
    assert by_kind["near-duplicate"]["ids"] == ["cccc", "bbbb"]
    assert by_kind["never recalled"]["ids"] == ["dddd"]
    shown = call("audit", "--kind", "junk", text=True)
    assert "nanobot-memory entries forget aaaa" in shown
    assert "cccc" not in shown
    before = (workspace / "memory" / "ENTRIES.md").read_bytes()
    call("audit")
    assert (workspace / "memory" / "ENTRIES.md").read_bytes() == before
    for fault in told["faults"]:
        _, *arguments = shlex.split(fault["mend"])
        call(*arguments)
    assert call("audit")["faults"] == []


def test_with_a_model_texts_are_compared_by_meaning_too(workspace: Path, builtin_model, tmp_path, capsys):
    now = datetime.now(UTC).replace(microsecond=0)
    # By words alone these share too little; their vectors agree.
    made = [
        entry("aaaa", "The user works as a nurse in Lisbon", 0.9, last_activated=now),
        entry("bbbb", "The user works as a nurse in Lisbon at night", 0.5, last_activated=now),
        entry("cccc", "The user likes oolong tea", last_activated=now),
    ]
    EntryRepository(workspace).update(lambda _: {one.id: one for one in made}, who="test", why="add")
    options = tmp_path / "options.json"
    options.write_text('{"memoryPlugins": {"nanobot": false}}')
    found = {}
    for more in ([], ["--no-embeddings"]):
        assert run_command_line(["audit", "-w", str(workspace), "-c", str(options), "--json", *more]) == 0
        faults = json.loads(capsys.readouterr().out.splitlines()[-1])["faults"]
        found[bool(more)] = [fault["why"] for fault in faults if fault["kind"] == "near-duplicate"]
    assert len(found[False]) == 1
    assert found[False] != found[True]


def test_no_entries_and_a_missing_workspace(call, tmp_path, capsys):
    assert call("audit")["faults"] == []
    assert "There are no entries." in call("audit", text=True)
    assert run_command_line(["audit", "-w", str(tmp_path / "nowhere")]) == 1
    assert "--workspace" in capsys.readouterr().err


def test_many_faults_are_a_summary_and_all_shows_each(call, workspace: Path):
    now = datetime.now(UTC).replace(microsecond=0)
    made = {f"e{n:07}": entry(f"e{n:07}", f"https://example.org/{n}/x?y=1", 0.3, last_activated=now) for n in range(30)}
    EntryRepository(workspace).update(lambda _: made, who="test", why="add")
    shown = call("audit", "--kind", "junk", text=True)
    assert shown.count("output of a machine") == 20
    assert "The first 20 of 30 faults are shown; --all shows each." in shown
    everything = call("audit", "--kind", "junk", "--all", text=True)
    assert everything.count("output of a machine") == 30
    assert "--all" not in everything
    assert len(call("audit", "--kind", "junk")["faults"]) == 30
