"""The story of the demonstration, and whether each stage of it came true.

That is read from the requests that reached the model and from the bytes on disk.
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
    """One stage as it came out. ``shown`` is what people see of it, a line each."""

    name: str
    ok: bool
    shown: tuple[str, ...]


def script() -> list[ReplyRule]:
    """Return the rules of the scripted model. It knows nothing but what a request tells it."""
    read = Reply(tools=(ToolCall("read_file", {"path": SETTINGS_FILE}),))
    return [
        ReplyRule(after_tool, Reply("I have read the file.")),
        ReplyRule(lambda request: request.last_user.startswith(READ), read),
        ReplyRule(lambda request: request.last_user.startswith(ASK_PREFERENCE), answer_from(LANGUAGE)),
        ReplyRule(lambda request: request.last_user.startswith(ASK_REGION), answer_from(REGION)),
    ]


def answer_from(word: str) -> Callable[[Request], Reply]:
    """Return an answer that says the word where a request tells it."""

    def answer(request: Request) -> Reply:
        known = bool(line_with(recalled_blocks(request), word))
        return Reply(f"{word}, as far as I remember." if known else "I do not know.")

    return answer


def play(machine: Installation, model: ScriptedServer) -> Iterator[Stage]:
    """Play the story, stage by stage."""
    # New each time, so that no file of ours can hold it by chance.
    secret = "sk-" + secrets.token_urlsafe(30).replace("-", "x").replace("_", "y")
    settings = f'[payments]\nregion = "{REGION}"\nport = 7071\napi_key = "{secret}"\n'
    (machine.workspace / SETTINGS_FILE).write_text(settings, encoding="utf-8")
    first_run = machine.agent(PREFERENCE, session=FIRST_SESSION)
    kept = machine.files_with(PREFERENCE)
    kept_in = Sentence("kept in {files}", files=", ".join(kept)) if kept else Sentence("kept in nothing")
    yield Stage("remember", first_run.returncode == 0 and bool(kept), shown_of(first_run, kept_in))

    read = machine.agent(READ, session=FIRST_SESSION)
    noted, leaked = machine.files_with(REGION), machine.files_with(secret)
    hidden = (
        Sentence("THE SECRET STANDS IN {files}", files=", ".join(leaked))
        if leaked
        else Sentence("the secret in the file stands in no file of ours")
    )
    noted_in = Sentence("noted in {files}", files=", ".join(noted)) if noted else Sentence("noted in nothing")
    summary = Sentence.joined([noted_in, hidden], "; ")
    yield Stage("observe", read.returncode == 0 and bool(noted) and not leaked, shown_of(read, summary))

    run, blocks = ask(machine, model, ASK_PREFERENCE, SECOND_SESSION)
    yield Stage("restart", run.returncode == 0, (Sentence("a third process, after two had ended; a new session"),))
    known = bool(line_with(blocks, LANGUAGE)) and LANGUAGE in run.stdout
    yield Stage("recall preference", known, shown_of(run, about(blocks, LANGUAGE)))

    run, blocks = ask(machine, model, ASK_REGION, SECOND_SESSION)
    clean = not line_with(blocks, secret) and not machine.files_with(secret)
    known = bool(line_with(blocks, REGION)) and clean and REGION in run.stdout
    yield Stage("recall tool run", known, shown_of(run, about(blocks, REGION)))


def ask(
    machine: Installation, model: ScriptedServer, question: str, session: str
) -> tuple[CompletedProcess[str], list[str]]:
    """Ask in a session; return the run and the blocks that the memory added to the question."""
    before = len(model.requests)
    run = machine.agent(question, session=session)
    return run, [block for request in model.requests[before:] for block in recalled_blocks(request)]


def recalled_blocks(request: Request) -> list[str]:
    """Return the fenced blocks of the last user message of a request."""
    return fenced_blocks(request.last_user)


def line_with(blocks: Sequence[str], word: str) -> str:
    """Return the first line of what the model was given that has a word, or nothing."""
    return next((line.strip() for block in blocks for line in block.splitlines() if word in line), "")


def about(blocks: Sequence[str], word: str) -> str:
    """Say which line of what the model was given has a word."""
    if line := line_with(blocks, word):
        return Sentence("the model was given: {line}", line=line)
    return Sentence("the model was given nothing about it")


def shown_of(run: CompletedProcess[str], summary: str) -> tuple[str, ...]:
    """Return what people see of a run: what is true of it, and the end of what it printed."""
    if run.returncode != 0:
        return summary, Sentence("{who} FAILED: {errors}", who="nanobot", errors=run.stderr.strip()[-300:])
    answer = run.stdout.rpartition(_HEADER)[2] or run.stdout
    return summary, f"nanobot: {' '.join(answer.split())[-200:]}"
