"""The story of the demonstration, and whether each stage of it came true."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from nanobot_memory_plugins.core.testing.scripted_server import Reply, ReplyRule, Request, ToolCall, after_tool
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.tools.demo.evidence import blocks_in_sessions, contains, files_with, recalled_blocks
from nanobot_memory_plugins.tools.demo.installation import SETTINGS_FILE, AgentRun, Installation, fake_secret

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


@dataclass(frozen=True, slots=True)
class DemoModel:
    """The model that plays: the requests that it got, when we can see them.

    ``offer`` limits the tools that it sees: a small model calls something whenever it is offered anything.
    """

    requests: Callable[[], list[Request]] | None
    offer: Callable[[tuple[str, ...]], None] = lambda _names: None


def script() -> list[ReplyRule]:
    """Return the rules of the scripted model. It knows nothing but what a request tells it."""
    return [
        ReplyRule(after_tool, Reply("I have read the file.")),
        ReplyRule(lambda request: request.last_user.startswith(READ), Reply(tools=(ToolCall("read_file", _FILE),))),
        ReplyRule(lambda request: request.last_user.startswith(ASK_PREFERENCE), answer_from(LANGUAGE)),
        ReplyRule(lambda request: request.last_user.startswith(ASK_REGION), answer_from(REGION)),
    ]


_FILE = {"path": SETTINGS_FILE}


def answer_from(word: str) -> Callable[[Request], Reply]:
    """Return an answer that says the word where a request tells it."""

    def answer(request: Request) -> Reply:
        known = contains(recalled_blocks(request), word)
        return Reply(f"{word}, as far as I remember." if known else "I do not know.")

    return answer


def play(installation: Installation, model: DemoModel) -> Iterator[Stage]:
    """Play the story, stage by stage."""
    secret = fake_secret()
    workspace = installation.workspace
    (workspace / SETTINGS_FILE).write_text(
        f'[payments]\nregion = "{REGION}"\nport = 7071\napi_key = "{secret}"\n', encoding="utf-8"
    )
    said = installation.agent(PREFERENCE, session=FIRST_SESSION)
    kept = files_with(PREFERENCE, workspace)
    kept_in = Sentence("kept in {files}", files=", ".join(kept)) if kept else Sentence("kept in nothing")
    yield Stage("remember", said.returncode == 0 and bool(kept), shown_of(said, kept_in))

    model.offer(("read_file",))
    read = installation.agent(READ, session=FIRST_SESSION)
    model.offer(())
    noted, leaked = files_with(REGION, workspace), files_with(secret, workspace)
    hidden = (
        Sentence("THE SECRET STANDS IN {files}", files=", ".join(leaked))
        if leaked
        else Sentence("the secret in the file stands in no file of ours")
    )
    noted_in = Sentence("noted in {files}", files=", ".join(noted)) if noted else Sentence("noted in nothing")
    what = Sentence.joined([noted_in, hidden], "; ")
    yield Stage("observe", read.returncode == 0 and bool(noted) and not leaked, shown_of(read, what))

    asked, question = _ask(installation, model, ASK_PREFERENCE)
    fresh = asked.pid not in (said.pid, read.pid) and asked.returncode == 0
    ended = Sentence(
        "process {pid}, after {first} and {second} had ended; a new session",
        pid=str(asked.pid),
        first=str(said.pid),
        second=str(read.pid),
    )
    yield Stage("restart", fresh, (ended,))
    known = contains(question, LANGUAGE) and _answered(asked, LANGUAGE)
    yield Stage("recall preference", known, shown_of(asked, about(question, LANGUAGE)))

    asked, question = _ask(installation, model, ASK_REGION)
    clean = not contains(question, secret) and not files_with(secret, workspace)
    known = contains(question, REGION) and clean and _answered(asked, REGION)
    yield Stage("recall tool run", known, shown_of(asked, about(question, REGION)))


def _ask(installation: Installation, model: DemoModel, question: str) -> tuple[AgentRun, list[str]]:
    """Ask in the new session; return the run and the blocks that memory put beside the question."""
    before = len(model.requests()) if model.requests else 0
    run = installation.agent(question, session=SECOND_SESSION)
    if model.requests is None:
        return run, blocks_in_sessions(installation.config_file.parents[1], question)
    requests = model.requests()[before:]
    return run, [block for request in requests for block in recalled_blocks(request)]


def _answered(run: AgentRun, word: str) -> bool:
    """Return whether the answer has the word. The scripted model has it only from its request, too."""
    return word.lower() in run.output.lower()


def about(blocks: list[str], word: str) -> str:
    """Say which line of what the model was given has a word."""
    line = next((line.strip() for block in blocks for line in block.splitlines() if word.lower() in line.lower()), "")
    if line:
        return Sentence("the model was given: {line}", line=line)
    return Sentence("the model was given nothing about it")


def shown_of(run: AgentRun, what: str, who: str = "nanobot") -> tuple[str, ...]:
    """Return what people see of a run: what is true of it, and the end of what it printed."""
    if run.returncode != 0:
        failed = Sentence("{who} FAILED: {errors}", who=who, errors=run.errors.strip()[-300:])
        return what, failed
    answer = run.output.rpartition(_HEADER)[2] or run.output
    return what, f"{who}: {' '.join(answer.split())[-200:]}"
