"""The demonstration of a shared memory: two nanobots with a home, a workspace and processes each, and one server."""

from collections.abc import Iterator

from nanobot_memory_plugins.bridge.demo.evidence import contains, files_with, recalled_blocks
from nanobot_memory_plugins.bridge.demo.installation import AgentRun, Installation
from nanobot_memory_plugins.bridge.demo.scenario import DemoModel, Stage, about, answer_from, shown_of
from nanobot_memory_plugins.core import Sentence
from nanobot_memory_plugins.core.testing.scripted_server import ReplyRule

TOLD = "The spare key of the boat lies at Brandvold's bakery, please keep that in mind."
ASKED = "Where does the spare key of the boat lie?"
GREETING = "Good morning."
WORD = "Brandvold"
STAGES = ("tell one machine", "ask the other", "forget on one", "gone on both")
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


def _ask(machine: Installation, model: DemoModel, session: str) -> tuple[list[str], AgentRun]:
    """Ask in a new session; return the blocks that memory put beside the question, and the run."""
    requests = model.requests or list
    before = len(requests())
    run = machine.agent(ASKED, session=session)
    return [block for request in requests()[before:] for block in recalled_blocks(request)], run
