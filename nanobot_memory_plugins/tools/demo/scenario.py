"""The stages of the demonstration.

Whether a stage succeeded is checked in the requests that reached the model and in the bytes on disk.
"""

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from subprocess import CompletedProcess

from nanobot_memory_plugins.core.text.fence import fenced_blocks
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.tools.demo.installation import Installation
from nanobot_memory_plugins.tools.scripted_model import (
    Reply,
    ReplyRule,
    Request,
    ScriptedServer,
    ToolCall,
    after_tool,
)

SETTINGS_FILE = "settings.toml"
FIRST_SESSION, SECOND_SESSION = "cli:first", "cli:second"
PREFERENCE = "For backend services I prefer Haskell over Go, please keep that in mind."
READ = f"Please use the read_file tool to read the file {SETTINGS_FILE}."
ASK_PREFERENCE = "Which programming language do I prefer for backend services?"
ASK_REGION = f"In which region does the payments service of {SETTINGS_FILE} run?"
LANGUAGE, REGION = "Haskell", "eu-north-4"

# What the command line prints above an answer.
_HEADER = "nanobot\n"

STAGES = ("remember", "observe", "restart", "recall preference", "recall tool run")


@dataclass(frozen=True, slots=True)
class Stage:
    """The outcome of one stage. ``shown`` holds the lines to print."""

    name: str
    ok: bool
    shown: tuple[str, ...]


def script() -> list[ReplyRule]:
    """Return the rules of the scripted model, which knows only what a request contains."""
    read = Reply(tools=(ToolCall("read_file", {"path": SETTINGS_FILE}),))
    return [
        ReplyRule(after_tool, Reply("I have read the file.")),
        ReplyRule(lambda request: request.last_user.startswith(READ), read),
        ReplyRule(lambda request: request.last_user.startswith(ASK_PREFERENCE), answer_from(LANGUAGE)),
        ReplyRule(lambda request: request.last_user.startswith(ASK_REGION), answer_from(REGION)),
    ]


def answer_from(word: str) -> Callable[[Request], Reply]:
    """Return a reply that gives ``word`` if the request's recalled blocks contain it."""

    def answer(request: Request) -> Reply:
        known = bool(line_with(recalled_blocks(request), word))
        return Reply(f"{word}, as far as I remember." if known else "I do not know.")

    return answer


def play(machine: Installation, model: ScriptedServer) -> Iterator[Stage]:
    """Run the stages, and yield the outcome of each."""
    # A new secret each time, so that no file can contain it by chance.
    secret = "sk-" + secrets.token_urlsafe(30).replace("-", "x").replace("_", "y")
    settings = f'[payments]\nregion = "{REGION}"\nport = 7071\napi_key = "{secret}"\n'
    (machine.workspace / SETTINGS_FILE).write_text(settings, encoding="utf-8")
    first_run = machine.agent(PREFERENCE, session=FIRST_SESSION)
    kept = machine.files_with(PREFERENCE)
    kept_in = Sentence("kept in {files}", files=", ".join(kept)) if kept else Sentence("kept in nothing")
    yield Stage("remember", first_run.returncode == 0 and bool(kept), shown_lines(first_run, kept_in))

    read = machine.agent(READ, session=FIRST_SESSION)
    noted, leaked = machine.files_with(REGION), machine.files_with(secret)
    hidden = (
        Sentence("THE SECRET IS IN {files}", files=", ".join(leaked))
        if leaked
        else Sentence("the secret in the file is in no file of the memory")
    )
    noted_in = Sentence("noted in {files}", files=", ".join(noted)) if noted else Sentence("noted in nothing")
    summary = Sentence.joined([noted_in, hidden], "; ")
    yield Stage("observe", read.returncode == 0 and bool(noted) and not leaked, shown_lines(read, summary))

    run, blocks = ask(machine, model, ASK_PREFERENCE, SECOND_SESSION)
    yield Stage("restart", run.returncode == 0, (Sentence("a third process, after two had ended; a new session"),))
    known = bool(line_with(blocks, LANGUAGE)) and LANGUAGE in run.stdout
    yield Stage("recall preference", known, shown_lines(run, recall_summary(blocks, LANGUAGE)))

    run, blocks = ask(machine, model, ASK_REGION, SECOND_SESSION)
    clean = not line_with(blocks, secret) and not machine.files_with(secret)
    known = bool(line_with(blocks, REGION)) and clean and REGION in run.stdout
    yield Stage("recall tool run", known, shown_lines(run, recall_summary(blocks, REGION)))


def ask(
    machine: Installation, model: ScriptedServer, question: str, session: str
) -> tuple[CompletedProcess[str], list[str]]:
    """Ask a question in a session, and return the run and the blocks that the memory added."""
    before = len(model.requests)
    run = machine.agent(question, session=session)
    return run, [block for request in model.requests[before:] for block in recalled_blocks(request)]


def recalled_blocks(request: Request) -> list[str]:
    """Return the fenced blocks of the last user message of a request."""
    return fenced_blocks(request.last_user)


def line_with(blocks: Sequence[str], word: str) -> str:
    """Return the first line of the blocks that contains a word, or an empty text."""
    return next((line.strip() for block in blocks for line in block.splitlines() if word in line), "")


def recall_summary(blocks: Sequence[str], word: str) -> str:
    """Return a sentence with the line of the blocks that contains a word."""
    if line := line_with(blocks, word):
        return Sentence("the model was given: {line}", line=line)
    return Sentence("the model was given nothing about it")


def shown_lines(run: CompletedProcess[str], summary: str) -> tuple[str, ...]:
    """Return the lines to print about a run: its summary, and the end of its output or errors."""
    if run.returncode != 0:
        return summary, Sentence("{who} FAILED: {errors}", who="nanobot", errors=run.stderr.strip()[-300:])
    answer = run.stdout.rpartition(_HEADER)[2] or run.stdout
    return summary, f"nanobot: {' '.join(answer.split())[-200:]}"
