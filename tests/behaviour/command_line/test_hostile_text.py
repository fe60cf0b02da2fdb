"""Hostile stored text: no command lets it control the terminal, hide text, or forge a line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.behaviour.kit.command import Done, run
from tests.behaviour.kit.hostile import SEQUENCES, found_in, hostile
from tests.behaviour.kit.life import Conversation, Life, keep_notes
from tests.behaviour.kit.model import ReadingModel, remember_call

FORGED = "2026-11-22 00:00:00.000 | CRITICAL | forged"


def texts_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_of(one)


async def test_no_command_prints_control_characters_or_forged_lines(life: Life, model: ReadingModel):
    said = f"The zebra costs 42. {hostile('message')}\n{FORGED} line"
    async with life.host() as memory:
        talk = Conversation(memory, f"cli:{hostile('session')}")
        await talk.turn(said, hostile("reply"), remember_call(hostile("entry"), "The zebra costs 42."))
        await keep_notes(memory, hostile("note"))
        await memory.tool_executed(
            session_key="cli:direct",
            tool_name=hostile("tool"),
            arguments={"a": hostile("argument")},
            result=hostile("result"),
            error=None,
            duration_ms=5,
        )
    with (life.memory / "MEMORY.md").open("a", encoding="utf-8") as file:
        file.write(f"\n# {hostile('heading')}\n\n{hostile('paragraph')}\n{FORGED} line\n")
    (life.memory / "topics \x1b[8m\u202e").mkdir()
    (life.memory / "topics \x1b[8m\u202e" / "z \x1b[8m.md").write_text(f"# {hostile('file')}\n\nzebra\n", "utf-8")
    pages = life.folder / "pages \x1b[8m"
    pages.mkdir()
    (pages / "n \x1b[8m\u202e.md").write_text(f"# {hostile('page')}\n\n{hostile('imported')}\n", encoding="utf-8")
    (entry,) = life.entries()
    id_ = entry["id"]
    calls: list[tuple[object, ...]] = [
        ("search", "zebra", "--limit", 100),
        ("timeline", "--all"),
        ("why", "do you remember the zebra price?"),
        ("audit",),
        ("stats",),
        ("doctor", "--all"),
        ("plugins", "--all"),
        ("people",),
        ("entries", "list"),
        ("entries", "show", id_),
        ("entries", "group", id_, "--to", hostile("group")),
        ("entries", "group"),
        ("entries", "remember", hostile("remembered")),
        ("entries", "forget", id_),
        ("entries", "restore", id_),
        ("entries", "history"),
        ("import", pages, "--from", "markdown"),
        ("purge", "--text", "zebra", "--dry-run"),
        ("scrub", "--dry-run"),
        ("export", "--to", life.folder / "out \x1b[8m.zip"),
        ("entries", "show", hostile("id")),
        ("entries", "undo", hostile("run")),
        ("search", "x", "--limit", hostile("number")),
        ("search", "x", f"--{hostile('option')}"),
    ]
    everything, objects, bad = [], [], []
    for call in calls:
        for more in ([], ["--json"]):
            done = life.command(*call, *more)
            everything.append(done.out + done.err)
            objects += [done.json] if more else []
            if found := found_in(done.out + done.err):
                bad.append((call, found))
    everything += [_out(run(hostile("command"))), _out(run("config", "show", hostile("key")))]
    everything.append(_out(run("search", "x", workspace=Path("/nowhere/\x1b[8m\u202e"))))
    assert (bad, [found_in(one) for one in everything[-3:]]) == ([], [set()] * 3)
    shown = "\n".join(everything)
    assert [line for line in shown.splitlines() if line.startswith(FORGED)] == []
    seen = ("message", "entry", "note", "heading", "group", "remembered", "id", "option", "command")
    assert [field for field in seen if f"of-{field}" not in shown] == [], "or nothing to be found means nothing"
    back = "".join(text for one in objects for text in texts_of(one))
    assert [name for name in ("clipboard", "turned") if SEQUENCES[name] not in back] == [], (
        "programs get what is stored"
    )
    assert json.dumps(life.entries())


def _out(done: Done) -> str:
    return done.out + done.err
