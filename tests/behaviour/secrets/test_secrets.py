"""Secrets that redaction recognises are never written to a file, row, log or request."""

import contextlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import Note, logger, redact_text
from tests.behaviour.kit.life import Conversation, Life
from tests.behaviour.kit.model import ReadingModel, remember_call
from tests.behaviour.kit.secrets import HARMLESS, corpus, hidden, redacting_process, ways

FAILING = """
from nanobot_memory_plugins.core import Note, hookimpl

@hookimpl
def on_message_received(text, context):
    password = text
    raise RuntimeError(f"cannot use {password}")

@hookimpl
def on_tool_executed(result):
    return [Note(tldr=f"ran {result}", details=f"- {result}", title=str(result)[:60], tags=(str(result)[:60],))]
"""


@pytest.fixture
def log() -> Iterator[list[str]]:
    lines: list[str] = []
    sink = logger.add(lines.append, level=0)
    yield lines
    with contextlib.suppress(ValueError):  # a command removes all sinks
        logger.remove(sink)


@pytest.mark.accept("V3-12")
def test_most_of_a_corpus_is_hidden_and_harmless_texts_are_unchanged():
    made = corpus(1) + corpus(2)
    found = [text for text, secret in made if secret not in redact_text(text)]
    assert len(found) >= 0.9 * len(made)
    assert all(redact_text(redact_text(text)) == redact_text(text) for text in found)
    assert sum(redact_text(text) == text for text in HARMLESS) >= len(HARMLESS) - 2
    assert redact_text("mail zhang.san@example.org") == "mail [EMAIL]"
    assert "[API_KEY]" in redact_text("use ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zC0fL3nR6")


@pytest.mark.accept("V3-12")
def test_most_secrets_of_each_kind_are_hidden():
    shown = Counter(
        way for seed in range(20) for way, (text, secret) in ways(seed).items() if secret in redact_text(text)
    )
    assert {way: times for way, times in shown.items() if times > 8} == {}


@pytest.mark.accept("V3-12")
async def test_no_secret_is_written_to_a_file_a_log_or_a_request(
    life: Life,
    model: ReadingModel,
    install: Callable[..., None],
    log: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capfd,
):
    monkeypatch.setenv("NANOBOT_MEMORY_TRACE", "1")
    install("failing", FAILING)
    known = hidden(3)
    receipts = []
    model.summary = f"They deployed. {known[0][0]}"
    async with life.host(failing={"enabled": True}, core={"breakerFailures": 1_000}) as memory:
        talk = Conversation(memory, "cli:one")
        for text, _ in known:
            receipts.append((await memory.message_received(session_key="cli:one", text=text)).receipt)
            receipts.append(await memory.message_sent(session_key="cli:one", text=f"Here it is:\n{text}"))
            for arguments, result, error in (
                ({"command": text, "env": {text: ["x", text]}}, "done", None),
                ({"path": "a"}, {"lines": [text, {text: text}]}, None),
                ({}, None, f"failed: {text}"),
            ):
                done = await memory.tool_executed(
                    session_key="cli:one", tool_name="exec", arguments=arguments, result=result, error=error
                )
                receipts.append(done)
            note = Note(tldr=text, details=f"- {text}", title=text[:60], tags=(text,))
            receipts.append(await memory.keep(note, session_key="cli:one"))
            said = f"My dog is called Rex. {text}"
            talk.history.append({"role": "user", "content": said})
            await talk.call(remember_call(said, said))
            await talk.call(remember_call(text, kind="note"))
        for name, _ in known[:6]:
            await memory.message_received(session_key=f"cli:{name}", text="Good morning.")
            await memory.message_sent(session_key=f"cli:{name}", text="Good morning to you.")
            await memory.session_idle(session_key=f"cli:{name}")
            assert len(memory.history(f"cli:{name}")) == 2
        # A history that is new to the memory when the session goes idle and is compacted.
        old = Conversation(memory, "cli:old")
        for number, (text, _) in enumerate(known):
            called = {"name": "exec", "arguments": json.dumps({"command": text})}
            call = {"id": f"c{number}", "type": "function", "function": called}
            old.history += [{"role": "user", "content": text}, {"role": "assistant", "content": f"Noted: {text}"}]
            old.history += [{"role": "assistant", "content": "I look.", "tool_calls": [call]}]
            old.history.append({"role": "tool", "tool_call_id": call["id"], "content": f"ok {text} ok"})
        model.learn(f"The user deploys. {known[1][0]}", known[0][0])
        await old.idle()
        await old.compact(keep=False)
        await old.idle(ended=True)
        await memory.flush_index()
    secrets = [secret for _, secret in known]
    # The words around the secrets are kept: the check would be empty otherwise.
    assert life.files_with("My dog is called Rex")
    assert life.files_with("deploy with", "keep it to yourself", "curl -u", "我的密码是")
    assert model.requests
    assert life.files_with(*secrets) == []
    assert leaked(secrets, "".join(log)) == []
    assert leaked(secrets, "".join(request.text for request in model.requests)) == []
    assert leaked(secrets, repr(receipts)) == []
    printed = capfd.readouterr()
    assert leaked(secrets, printed.out + printed.err) == []
    assert "failing" in printed.err + "".join(log)


async def test_a_secret_that_people_wrote_into_a_file_stays_in_that_file_only(life: Life, log: list[str]):
    known = hidden(4)
    async with life.host() as memory:
        await Conversation(memory).turn("Rex is my dog.", "Noted.", remember_call("Rex is a dog.", "Rex is my dog."))
    by_hand = "# Mine\n\n" + "\n\n".join(f"Old laptop: {text}" for text, _ in known) + "\n"
    (life.memory / "MEMORY.md").write_text(by_hand, encoding="utf-8")
    entries = life.memory / "ENTRIES.md"
    text = entries.read_text(encoding="utf-8").replace("Rex is a dog.", f"Rex is a dog, and {known[0][0]}")
    entries.write_text(text, encoding="utf-8")
    secrets = [secret for _, secret in known]
    async with life.host() as memory:
        await memory.flush_index()
        talk = Conversation(memory, "cli:new")
        shown = await talk.turn("Do you remember the old laptop?") + talk.prompt() + memory.base_context()
    assert "Old laptop" in shown
    assert "Rex is a dog" in shown
    assert leaked(secrets, shown + "".join(log)) == []
    assert [one for one in life.files_with(*secrets) if one.startswith(".storage")] == []
    assert (life.memory / "MEMORY.md").read_text(encoding="utf-8") == by_hand
    (life.memory / "clean.md").write_text("# Ideas\n\nBuy tea. Mail ana@quetzal.example.\n", encoding="utf-8")
    found = life.command("scrub", "--dry-run")
    assert "memory/MEMORY.md" in found.out
    assert "clean.md" not in found.out
    assert leaked(secrets, found.out) == []


async def test_secrets_of_earlier_turns_and_answers_to_questions_for_secrets_are_hidden(life: Life):
    secret = "plumtree-Otter-55"
    async with life.host() as memory:
        talk = Conversation(memory)
        await talk.turn(f"the staging db password is {secret} btw", f"I will use {secret}. What is the gate code?")
        await talk.turn("it's 773190, and hurry", "Fine.")
        await talk.turn("Try to connect.", f"{secret} was refused.")
        await memory.tool_executed(
            session_key=talk.key, tool_name="exec", arguments={"command": f"echo {secret} | login"}, result="ok"
        )
        await talk.compact()
        await talk.idle()
        await Conversation(memory, "cli:other").turn("Otters and plumtrees live in Lund.")
    assert all(kept in str(life.transcript()) for kept in ("and hurry", "was refused"))
    assert life.files_with("Otter-55", "it's 773190") == []
    assert "Otters and plumtrees" in str(life.transcript("cli:other"))


async def test_a_reply_repeats_no_secret_of_the_message_before(life: Life):
    async with life.host() as memory:
        for said, answer in (
            ("my wifi password is tangerine", "Fine, then type tangerine on the phone."),
            ("我部iPad密碼係837261，轉頭用。", "明白，轉頭用837261。"),
            ("the master password is correct horse battery staple", "correct horse battery staple, noted"),
        ):
            talk = Conversation(memory, said[:4])
            await talk.turn(said, answer)
            await talk.compact()
            await talk.idle()
    assert life.files_with("tangerine", "用837261", "horse battery") == []


async def test_a_mere_secret_is_refused_as_an_entry_and_the_refusal_says_so(life: Life):
    async with life.host() as memory:
        talk = Conversation(memory)
        for text in ("The user's wifi password is tangerine42.", "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zC0fL3nR6"):
            assert "secret" in await talk.call(remember_call(text, text))
    assert life.command("entries", "remember", "The wifi password is tangerine42").status == 1
    assert life.entries() == []


def test_the_command_applies_third_party_rules_and_reports_unreadable_lines(tmp_path: Path):
    known = hidden(5)
    secrets = [secret for _, secret in known]
    done = redacting_process(tmp_path, "\n".join([*(text for text, _ in known), "see TCK-123, and bob@example.org"]))
    assert done.returncode == 0
    assert leaked(secrets, done.stdout) == []
    assert "see [TICKET], and [EMAIL]" in done.stdout
    rows = [json.dumps({"id": number, "text": text}) for number, (text, _) in enumerate(known)]
    given = "\n".join([*rows, f"no json {secrets[0]}", '{"id": 99, "text": "plain"}'])
    lines = redacting_process(tmp_path, given, "--jsonl")
    assert lines.returncode == 1
    assert [json.loads(line)["id"] for line in lines.stdout.splitlines()] == [*range(len(known)), 99]
    assert leaked(secrets, lines.stdout + lines.stderr) == []


def leaked(secrets: list[str], text: str) -> list[str]:
    return [secret for secret in secrets if secret in text]
