"""The demonstration of a shared memory: two nanobots with a home, a workspace and processes each, and one server."""

from collections.abc import Iterator
from pathlib import Path

from nanobot_memory_plugins.core.testing.scripted_server import ReplyRule
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.tools.demo.evidence import contains, files_with, recalled_blocks
from nanobot_memory_plugins.tools.demo.installation import AgentRun, Installation
from nanobot_memory_plugins.tools.demo.scenario import DemoModel, Stage, about, answer_from, shown_of

TOLD = "The spare key of the boat lies at Brandvold's bakery, please keep that in mind."
ASKED = "Where does the spare key of the boat lie?"
GREETING = "Good morning."
WORD = "Brandvold"
NOTED, EDITED = "The boat is berthed at pier 4.", ("pier 5", "pier 6")
STAGES = ("tell one machine", "ask the other", "edit on both at once", "forget on one", "gone on both")
# Turns of the other machine in which it may come to know what it has to forget.
_TURNS = 3


def script() -> list[ReplyRule]:
    """Return the rules of the scripted model. It knows nothing but what a request tells it."""
    return [ReplyRule(lambda request: request.last_user.startswith(ASKED), answer_from(WORD))]


def play(laptop: Installation, desktop: Installation, model: DemoModel) -> Iterator[Stage]:
    """Play the story, stage by stage."""
    said = laptop.agent(TOLD, session="cli:laptop")
    kept, there = files_with(WORD, laptop.workspace), files_with(WORD, desktop.workspace)
    where = Sentence(
        "on the first machine kept in {files}; in no file of the second", files=", ".join(kept) or Sentence("nothing")
    )
    yield Stage("tell one machine", said.returncode == 0 and bool(kept) and not there, shown_of(said, where))

    blocks, asked = _ask(desktop, model, "cli:desktop")
    known = contains(blocks, WORD) and WORD in asked.output
    yield Stage("ask the other", asked.returncode == 0 and known, shown_of(asked, about(blocks, WORD)))

    yield _edit_on_both(laptop, desktop)

    done = laptop.command("purge", "--text", WORD, "--yes")
    left = files_with(WORD, laptop.workspace)
    what = _still_in(left) if left else Sentence("the word stands in no file of the first machine")
    yield Stage("forget on one", done.returncode == 0 and bool(kept) and not left, shown_of(done, what, "purge"))

    for _ in range(_TURNS):
        desktop.agent(GREETING, session="cli:desktop-later")
        if not files_with(WORD, desktop.workspace):
            break
    blocks, asked = _ask(desktop, model, "cli:desktop-new")
    left = [*files_with(WORD, laptop.workspace), *files_with(WORD, desktop.workspace)]
    what = _still_in(left) if left else Sentence("the word stands in no file of either machine")
    gone = not left and not contains(blocks, WORD) and WORD not in asked.output
    # What was never known cannot be gone.
    yield Stage(
        "gone on both",
        asked.returncode == 0 and known and gone,
        shown_of(asked, Sentence.joined([what, about(blocks, WORD)], "; ")),
    )


def _still_in(files: list[str]) -> Sentence:
    return Sentence("the word still stands in {files}", files=", ".join(files))


def _edit_on_both(laptop: Installation, desktop: Installation) -> Stage:
    """Change one entry on both machines while neither knows of the other: both texts stay, and one is marked."""
    runs = [laptop.command("entries", "remember", NOTED, is_configured=False)]
    runs += [machine.command("postgres", "send") for machine in (laptop, desktop)]
    for machine, text in zip((laptop, desktop), EDITED, strict=True):
        file = _entries_of(machine)
        if file.is_file():
            file.write_text(file.read_text(encoding="utf-8").replace("pier 4", text), encoding="utf-8")
    runs += [machine.command("postgres", "send") for machine in (laptop, desktop, laptop)]
    held = [
        _entries_of(machine).read_text(encoding="utf-8")
        for machine in (laptop, desktop)
        if _entries_of(machine).is_file()
    ]
    ok = len(held) == 2 and all(text in one for one in held for text in (*EDITED, "conflict"))
    both = " / ".join(EDITED)
    if ok:
        what = Sentence("{texts} stand on both machines, one of them marked as a conflict", texts=both)
    else:
        what = Sentence("{texts} do not stand on both machines", texts=both)
    came_true = ok and not any(run.returncode for run in runs)
    return Stage("edit on both at once", came_true, shown_of(runs[-1], what, "send"))


def _entries_of(machine: Installation) -> Path:
    return machine.workspace / "memory" / "ENTRIES.md"


def _ask(machine: Installation, model: DemoModel, session: str) -> tuple[list[str], AgentRun]:
    """Ask in a new session; return the blocks that memory put beside the question, and the run."""
    requests = model.requests or list
    before = len(requests())
    run = machine.agent(ASKED, session=session)
    return [block for request in requests()[before:] for block in recalled_blocks(request)], run
