"""Querying, managing and debugging a memory with the command line alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.kit.command import Done, run
from tests.behaviour.kit.life import KEY, Conversation, Life, keep_notes, lived_once
from tests.behaviour.kit.model import remember_call


@pytest.fixture
async def lived(life: Life) -> Life:
    """A workspace with three messages, one of the user's entries, and a note."""
    await live(life)
    return life


@lived_once
async def live(life: Life) -> None:
    said = "For billing we chose PostgreSQL as the database."
    async with life.host() as memory:
        talk = Conversation(memory)
        await talk.turn(said, "Fine.", remember_call("Billing uses PostgreSQL.", said, kind="decision"))
        await talk.turn("The staging database listens on port 5433.", "I see.")
        await talk.turn("The cat is called Mochi.", "Sweet.")
        await keep_notes(memory, "The boiler was mended.")
        await memory.flush_index()


def shown(life: Life, *words: object, status: int = 0) -> Any:
    """Return the JSON object that a command prints; standard output has nothing else."""
    done = life.command(*words, "--json")
    assert (done.status, len(done.out.splitlines())) == (status, 1), done
    return done.json


def ids(life: Life, *words: object) -> set[str]:
    return {entry["id"] for entry in shown(life, "entries", "list", *words)["entries"]}


@pytest.mark.accept("NC-11")
def test_a_memory_can_be_queried_managed_and_debugged(lived: Life):
    # Query: what is in the memory, and where.
    hit = shown(lived, "search", "which port has staging")["hits"][0]
    assert "5433" in hit["snippet"]
    line = (lived.workspace / hit["file"]).read_text(encoding="utf-8").splitlines()[hit["line"] - 1]
    assert "5433" in line
    assert hit["origin"] == "user"
    assert "boiler" in json.dumps(shown(lived, "search", "boiler", "--since", "2026-02-16"))
    assert shown(lived, "search", "boiler", "--until", "2026-02-15")["hits"] == []
    assert KEY in json.dumps(shown(lived, "timeline"))

    # Manage: remember, show, group, confirm, forget, restore, history, undo, purge.
    (chosen,) = ids(lived)
    tea = shown(lived, "entries", "remember", "The user likes oolong tea.", "--group", "food/tea")["entry"]["id"]
    again = shown(lived, "entries", "remember", "The user likes oolong tea.")["entry"]["id"]
    assert (again, ids(lived), ids(lived, "--group", "food")) == (tea, {chosen, tea}, {tea})
    assert shown(lived, "entries", "show", tea)["entry"]["hits"] >= 1
    shown(lived, "entries", "group", chosen, "--to", "work")
    assert ids(lived, "--group", "work") == {chosen}
    shown(lived, "entries", "forget", tea)
    assert ids(lived) == {chosen}
    assert shown(lived, "entries", "show", tea)["gone"]
    shown(lived, "entries", "restore", tea)
    assert ids(lived) == {chosen, tea}
    runs = shown(lived, "entries", "history")["runs"]
    assert len(runs) >= 4
    shown(lived, "entries", "undo")
    assert ids(lived) == {chosen}
    shown(lived, "entries", "undo")
    assert ids(lived) == {chosen, tea}
    assert shown(lived, "entries", "confirm", tea)
    assert shown(lived, "purge", tea, "--dry-run")
    assert lived.files_with("oolong")
    shown(lived, "purge", tea, "--yes")
    assert (ids(lived), lived.files_with("oolong")) == ({chosen}, [])

    # Debug: why something is recalled, problems, what is stored, and costs.
    why = shown(lived, "why", "Do you remember the port of the staging database?")
    assert why["tier"] == "heavy"
    assert any("5433" in one["text"] and one["injected"] for one in why["candidates"])
    assert shown(lived, "why", "Thanks a lot!")["tier"] != "heavy"
    findings = {one["subject"]: one for one in shown(lived, "doctor")["findings"]}
    assert findings["recall"]["health"] == "good"
    assert [one for one in findings.values() if one["health"] != "good" and not one["hint"]] == []
    assert shown(lived, "audit")["faults"] == []
    assert shown(lived, "stats")
    assert {"storage", "recall", "consolidation"} <= {one["name"] for one in shown(lived, "plugins")["plugins"]}
    assert shown(lived, "people")
    assert shown(lived, "index")
    assert run("models", "list", "--json").json


def test_near_duplicates_are_found_and_the_suggested_command_works(lived: Life):
    first, second = (
        shown(lived, "entries", "remember", text)["entry"]["id"]
        for text in ("The user likes oolong tea", "Oolong tea is what the user likes")
    )
    (fault,) = shown(lived, "audit")["faults"]
    assert (fault["kind"], set(fault["ids"])) == ("near-duplicate", {first, second})
    program, *words = fault["hint"].split()
    assert program == "nanobot-memory"
    assert lived.command(*words).status == 0
    assert shown(lived, "audit")["faults"] == []


@pytest.mark.accept("NC-01")
def test_a_command_rebuilds_a_deleted_index(lived: Life):
    def found() -> list[str]:
        hits = shown(lived, "search", "database billing staging")["hits"]
        return [hit["snippet"] for hit in hits]

    before = found()
    assert before
    for file in (lived.workspace / ".storage").glob("memory.db*"):
        file.unlink()
    assert shown(lived, "index", "--rebuild")
    assert found() == before
    damaged = lived.workspace / ".storage" / "memory.db"
    damaged.write_bytes(b"no database" * 1_000)
    for file in (lived.workspace / ".storage").glob("memory.db-*"):
        file.unlink()
    assert lived.command("index").status == 0
    assert "put aside" in lived.command("doctor").out
    assert found() == before


WRONG = [
    (["serch", "tea"], "serch"),
    (["search", "tea", "--limt", "3"], "--limt"),
    (["search", "tea", "--limit", "zero"], "--limit"),
    (["search", "tea", "--limit", "0"], "--limit"),
    (["search", "tea", "--kind", "tee"], "tee"),
    (["search", "tea", "--since", "20266"], "20266"),
    (["search", "tea", "--since", "2026-03-01", "--until", "2026-02-01"], "--until"),
    (["timeline", "xyzzy"], "PERIOD xyzzy"),
    (["why", " "], "the message"),
    (["search"], ""),
    (["why"], "QUERY"),
    (["timeline", "--since", "soonish"], "soonish"),
    (["entries", "lst"], "lst"),
    (["entries", "remember"], "TEXT"),
    (["entries", "remember", "Tea is green.", "--category", "tee"], "tee"),
    (["entries", "remember", "Tea is green.", "--expires", "2020-01-01"], "2020"),
    (["entries", "forget"], "ID"),
    (["import"], "archive"),
    (["connect", "emacs"], "emacs"),
    (["stats", "--lang", "tlh"], "tlh"),
    (["purge"], ""),
    (["stats", "Invalid value: " * 999 + "x"], "(Invalid value: "),
]


def test_wrong_use_is_status_2_with_the_reason_also_as_json(life: Life):
    life.memory.mkdir(parents=True)
    taken = []
    for words, named in WRONG:
        given = {} if words[0] in ("connect", "serch") or "lst" in words else {"workspace": life.workspace}
        plain, asked = run(*words, **given), run(*words, "--json", **given)
        told = asked.json
        good = [
            (plain.status, asked.status) == (2, 2),
            named in plain.err and named in f"{told['error']} {told['hint']}",
            told["ok"] is False,
            "Traceback" not in plain.err and "?." not in plain.err,
            plain.out == "",
        ]
        if not all(good):
            taken.append((words, good, plain.text[-300:]))
    assert taken == []
    assert [file for file in life.memory.rglob("*") if file.is_file()] == []


def test_a_failure_is_status_1_with_a_hint(lived: Life):
    for words in (
        ("entries", "show", "nothing"),
        ("entries", "forget", "nothing"),
        ("import", "/nowhere/at/all"),
    ):
        told = shown(lived, *words, status=1)
        assert (told["ok"], bool(told["error"]), bool(told["hint"])) == (False, True, True), words
    assert shown(lived, "import", "--undo", status=1)["error"]


@pytest.mark.parametrize("how", ["--workspace", "environment"])
def test_a_misspelt_workspace_is_reported_and_not_created(
    how: str, life: Life, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    life.workspace.mkdir()
    wrong = tmp_path / "wrkspace"
    monkeypatch.setenv("NANOBOT_MEMORY_WORKSPACE", str(wrong if how == "environment" else life.workspace))
    given = {"workspace": wrong} if how == "--workspace" else {}
    for words in (
        ("search", "tea"),
        ("timeline",),
        ("stats",),
        ("audit",),
        ("entries", "list"),
        ("entries", "remember", "Tea is green."),
        ("index",),
        ("export", "--to", tmp_path / "a.zip"),
        ("people",),
        ("purge", "--text", "tea", "--yes"),
        ("doctor",),
    ):
        done = run(*words, "--json", **given)
        assert done.status in (1, 2), words
        assert "wrkspace" in done.text, words
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "home") == ["workspace"]


def test_the_output_is_chinese_on_request_and_json_stays_the_same(lived: Life):
    def chinese(done: Done) -> bool:
        return any("\u4e00" <= letter <= "\u9fff" for letter in done.out + done.err)

    for words in (
        ["doctor"],
        ["entries", "list"],
        ["stats"],
        ["search", "--help"],
        ["entries", "show", "x"],
        ["serch"],
    ):
        given = {} if "--help" in words or words == ["serch"] else {"workspace": lived.workspace}
        assert chinese(run("--lang", "zh", *words, **given)), words
        assert not chinese(run("--lang", "en", *words, **given)), words
    there = lived.command("--lang", "zh", "entries", "list", "--json").json
    assert there == shown(lived, "entries", "list")
    lived.options["core"] = {"language": "zh"}
    assert chinese(lived.command("doctor"))


COMMANDS = (
    *("demo", "init", "doctor", "plugins", "index", "search", "why", "timeline", "purge", "scrub", "redact", "pause"),
    *("resume", "audit", "stats", "config", "people", "models", "import", "export", "panel", "mcp", "connect"),
    *("entries list", "entries show", "entries remember", "entries forget", "entries confirm", "entries restore"),
    *("entries history", "entries undo", "entries group", "postgres", "eval", "bench"),
)


def test_every_command_has_help():
    for command in COMMANDS:
        done = run(*command.split(), "--help")
        assert (done.status, "Usage" in done.out, done.err) == (0, True, ""), command
