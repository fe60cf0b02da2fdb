"""The demonstration of a shared memory: two nanobots with a home, a workspace and processes each, and one server."""

from collections.abc import Iterator

from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.tools.demo.installation import Installation
from nanobot_memory_plugins.tools.demo.scenario import Stage, about, answer_from, ask, line_with, shown_of
from nanobot_memory_plugins.tools.scripted_model import ReplyRule, ScriptedServer

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


def play(laptop: Installation, desktop: Installation, model: ScriptedServer) -> Iterator[Stage]:
    """Play the story, stage by stage."""
    first_run = laptop.agent(TOLD, session="cli:laptop")
    kept, on_desktop = laptop.files_with(WORD), desktop.files_with(WORD)
    places = Sentence(
        "on the first machine kept in {files}; in no file of the second", files=", ".join(kept) or Sentence("nothing")
    )
    yield Stage(
        "tell one machine", first_run.returncode == 0 and bool(kept) and not on_desktop, shown_of(first_run, places)
    )

    run, blocks = ask(desktop, model, ASKED, "cli:desktop")
    known = bool(line_with(blocks, WORD)) and WORD in run.output
    yield Stage("ask the other", run.returncode == 0 and known, shown_of(run, about(blocks, WORD)))

    done = laptop.command("purge", "--text", WORD, "--yes")
    remaining = laptop.files_with(WORD)
    summary = _still_in(remaining) if remaining else Sentence("the word stands in no file of the first machine")
    yield Stage(
        "forget on one", done.returncode == 0 and bool(kept) and not remaining, shown_of(done, summary, "purge")
    )

    for _ in range(_TURNS):
        desktop.agent(GREETING, session="cli:desktop-later")
        if not desktop.files_with(WORD):
            break
    run, blocks = ask(desktop, model, ASKED, "cli:desktop-new")
    remaining = [*laptop.files_with(WORD), *desktop.files_with(WORD)]
    summary = _still_in(remaining) if remaining else Sentence("the word stands in no file of either machine")
    # What was never known cannot be gone.
    gone = known and not remaining and not line_with(blocks, WORD) and WORD not in run.output
    report = Sentence.joined([summary, about(blocks, WORD)], "; ")
    yield Stage("gone on both", run.returncode == 0 and gone, shown_of(run, report))


def _still_in(files: list[str]) -> Sentence:
    return Sentence("the word still stands in {files}", files=", ".join(files))
