"""`nanobot-memory why` shows what a message would recall, by the code of a real turn."""

import asyncio
import json
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from tests.support.each import each

SAID = [
    "For billing we chose PostgreSQL as the database.",
    "For billing we chose PostgreSQL, as the database!",
    "The database of the shop is MySQL, and its backups are made at night.",
    "The staging database listens on port 5433.",
    "A database for the archive is not chosen yet.",
    "Our database budget is 900 euros a month, because of the three replicas that we keep in Frankfurt.",
    "The cat is called Mochi.",
]
ASKED = "Do you remember which database we chose?"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for number, text in enumerate(SAID):
        say(tmp_path, f"cli:{number}", text, day=1)
    return tmp_path


def say(workspace: Path, session: str, *texts: str, day: int = 9, **more: str) -> None:
    """Write a session in which the user and the assistant alternate."""
    path = MemoryPaths.of(workspace).transcript(session)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for number, text in enumerate(texts):
            row = {"id": f"{session}-{number}", "role": ("user", "assistant")[number % 2], "text": text}
            time = f"2026-03-{day:02}T{10 + number // 60:02}:{number % 60:02}:00+00:00"
            file.write(json.dumps({**row, "session": session, "time": time, **more}) + "\n")


@pytest.fixture
def ask(workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    def run(*arguments: str, text: bool = False, **recall: object):
        file = tmp_path / "options.json"
        plugins = {"storage": {"embeddingProvider": "none"}, "recall": recall}
        file.write_text(json.dumps({"memoryPlugins": plugins}), encoding="utf-8")
        more = () if text else ("--json",)
        assert run_command_line(["why", *arguments, "-w", str(workspace), "-c", str(file), *more]) == 0
        out = capsys.readouterr().out
        return out if text else json.loads(out.splitlines()[-1])

    return run


def left_out(answer: dict) -> dict[str, str]:
    return {one["text"]: one["left_out"] for one in answer["candidates"] if one["left_out"]}


async def test_it_shows_what_a_turn_injects(ask, workspace: Path):
    plugins = {
        "storage": {"embedding_provider": "none"},
        "recall": {"recall_timeout": 60},
        "nanobot": {"enabled": False},
    }
    # Without transcripts the message itself does not become a candidate.
    core = {"message_limit": 60, "keep_transcripts": False}
    config = MemoryConfig.model_validate({"core": core, "plugins": plugins})
    before = await asyncio.to_thread(ask, ASKED)
    async with MemoryHost(workspace, config=config) as memory:
        await memory.flush_index()
        turn = await memory.message_received(session_key="cli:new", text=ASKED)
    assert turn.hit_ids == tuple(before["block"]["hit_ids"])
    assert before["block"]["text"] in (turn.block or "")
    # Now it is in the transcript, with an answer: `why` explains that turn.
    say(workspace, "cli:new", ASKED, "The database that we chose for billing is PostgreSQL.")
    after = await asyncio.to_thread(ask, ASKED, "--session", "cli:new")
    assert after["block"]["hit_ids"] == before["block"]["hit_ids"]
    assert {one["text"] for one in after["candidates"]} == {one["text"] for one in before["candidates"]}


def test_the_history_of_the_session_is_not_injected_again_but_decides_the_tier(ask, workspace: Path):
    say(workspace, "cli:now", f"I know: {SAID[2]}", "Good.", ASKED, "PostgreSQL.")
    assert left_out(ask("Remember the backups of the shop?", "--session", "cli:now"))[SAID[2]] == "in_context"
    asked_for = ask("And the archive one?", "--session", "cli:now")["asked_for"]
    assert (asked_for["words"], asked_for["turns_back"], asked_for["follows"]) == ("remember", 1, True)


def test_for_a_repeated_message_the_history_ends_before_it_and_later_memories_are_found(ask, workspace: Path):
    question = "Do you remember the colour of the harbour lighthouse?"
    since = [f"The boat number {number} is in the harbour." for number in range(410)]
    known = "The harbour lighthouse is painted in red and white."
    say(workspace, "cli:now", known, "Good.", question, "Red and white.", *since)
    say(workspace, "cli:later", "The harbour lighthouse is scarlet since July.", day=10)
    answer = ask(question, "--session", "cli:now")
    assert left_out(answer)[known] == "in_context"
    assert "scarlet since July" in answer["block"]["text"]


@each(
    ("options", "reason"),
    [
        ({"maxContextTokens": 100, "minShareOfBest": 0}, "budget"),
        ({"maxFullDocs": 1, "maxSnippets": 1, "minShareOfBest": 0}, "budget"),
        ({"heavyTopK": 2, "minShareOfBest": 0}, "top_k"),
        ({"minUsefulness": 0.1, "minShareOfBest": 0}, "little_use"),
        ({"minShareOfBest": 0.9}, "little_use"),
    ],
)
def test_each_hit_that_is_left_out_has_the_reason_and_its_options(ask, options, reason):
    assert reason in left_out(ask(ASKED, **options)).values()
    assert next(iter(options)) in " ".join(ask(ASKED, text=True, **options).split())


def test_the_text_shows_the_block_and_what_was_left_out_by_reason(ask):
    shown = ask(ASKED, text=True)
    assert "would be added to this message" in shown
    assert "sessions/cli_0" in shown
    assert shown.splitlines()[0].startswith("Found: ")
    assert ". Shown: " in shown.splitlines()[0]
    assert "another memory says the same: 1" in shown
    assert 'search: heavy, for "remember" (explicitAnchors); memory is needed: ' in shown
    assert "Shown: 1." in ask(ASKED, text=True, heavyTopK=1)


@each(
    ("text", "options", "reason", "words"),
    [
        ("The database", {"enableProbeOnOff": False}, "not_searched", "no word asks for memory"),
        ("What did I say of my xylophone?", {}, "nothing_found", "nothing was found"),
        ("Suggest a xylophone.", {}, "nothing_found", "nothing was found"),
        (SAID[6], {}, "in_context", "says it already"),  # it is not its own memory
        ("The database", {"needThreshold": 1.0}, "not_needed", "seems to need no memory"),
        (ASKED, {"maxContextTokens": 80}, "budget", "there is no room left"),
        ("/private The database", {}, "off_record", "it is off the record"),
        ("memory pause", {}, "off_record", "it is off the record"),
    ],
)
def test_without_a_block_it_shows_the_step_that_left_nothing(ask, text, options, reason, words):
    assert ask(text, **options)["reason"] == reason
    shown = " ".join(ask(text, text=True, **options).split())
    assert (words in shown, reason == "not_searched" and "search: " in shown) == (True, False)


def test_nothing_is_recalled_in_paused_conversations(ask, workspace: Path):
    assert run_command_line(["pause", "--session", "cli:5", "-w", str(workspace)]) == 0
    assert (ask(ASKED, "--session", "cli:5")["reason"], ask(ASKED)["reason"]) == ("paused", None)
    assert run_command_line(["pause", "-w", str(workspace)]) == 0
    assert "the memory is paused" in ask(ASKED, text=True)
