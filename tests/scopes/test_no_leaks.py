"""Whatever is asked, by whom and by which way: nobody is told what is not theirs."""

import contextlib
import io
import json
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.consolidation.model.entry import whole_scope
from nanobot_memory_plugins.consolidation.nightly.pipeline import NightlyConsolidation
from nanobot_memory_plugins.consolidation.operations.async_entries import AsyncEntryRepository
from nanobot_memory_plugins.consolidation.operations.remember import forget
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import Query, Scope
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.values import Tier
from tests.scopes.shared_memory import SCOPES, UNKNOWN, WORDS, SharedMemory, may_see, shared_memory, told, word_of

SHARES = ("auto", "agent", "user", "channel", "session")
FULL = os.environ.get("NANOBOT_MEMORY_TRUST") == "full"
# In all, over the five ways of sharing: those inside the process, and those by the command line, which take longer.
CASES, COMMANDS = (9_600, 400) if FULL else (290, 15)
SETTINGS: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck), "derandomize": not FULL}


@pytest.fixture(scope="module", params=SHARES)
def memory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedMemory]:
    with shared_memory(tmp_path_factory.mktemp("shared"), request.param) as found:
        yield found


def searched(memory: SharedMemory, caller: Scope, text: str, owner: Scope, number: int) -> str:
    query = Query(text, scope=memory.visible(caller), limit=1 + number, tier=list(Tier)[number % 2])
    return "\n".join(hit.text for hit in memory.run(memory.host.search(query)).hits)


def recalled(memory: SharedMemory, caller: Scope, text: str, owner: Scope, number: int) -> str:
    asked = f"Do you remember {text.replace(word_of(owner), 'that')}?"
    context = memory.run(memory.host.message_received(session_key=caller.session, text=asked, scope=caller))
    return context.block or ""


def searched_by_tool(memory: SharedMemory, caller: Scope, text: str, owner: Scope, number: int) -> str:
    return memory.tool(("memory_search", "recall_memory")[number % 2], caller, query=text, limit=1 + number % 30)


def listed_by_tool(memory: SharedMemory, caller: Scope, text: str, owner: Scope, number: int) -> str:
    return memory.tool("memory_search", caller, since="2000", limit=1 + number % 30)


def read_by_id(memory: SharedMemory, caller: Scope, text: str, owner: Scope, number: int) -> str:
    hits = memory.run(memory.host.search(Query(word_of(owner), limit=4))).hits
    return "\n".join(memory.tool("memory_get", caller, id=hit.id) for hit in hits)


def in_prompt(memory: SharedMemory, caller: Scope, text: str, owner: Scope, number: int) -> str:
    known = memory.host.prompt_entries(memory.host.base_context(), session_key=caller.session, scope=caller)
    return f"{known.text}\n{known.long_term}"


def forgotten(memory: SharedMemory, caller: Scope, text: str, owner: Scope, number: int) -> str:
    """Ask for somebody else's entry to be forgotten, by id or by words; it stays, and is not shown."""
    if may_see(memory.share, caller, owner):
        return ""
    before = memory.entries().keys()
    given = {"id": f"e{SCOPES.index(owner):07}"} if number % 2 else {"query": f"the lock's code {word_of(owner)}"}
    answer = memory.tool("forget", caller, **given)
    assert memory.entries().keys() == before
    return answer.replace(word_of(owner), "") if word_of(owner) not in answer.partition("\n")[2] else answer


def remembered(memory: SharedMemory, caller: Scope, text: str, owner: Scope, number: int) -> str:
    """Remember something, which becomes no wider than what the caller sees; take it back."""
    said = f"parrot {number} sings at noon"
    answer = memory.tool("remember", caller, text=said)
    made = {id_: one for id_, one in memory.entries().items() if one.content == said}
    if caller in UNKNOWN:  # it is seen by nobody that is known, and taken away by nobody but the owner
        forget(EntryRepository(memory.workspace), list(made), who="test") if made else None
    for entry in made.values():
        seen_by = [scope for scope in SCOPES if memory.visible(scope).allows(whole_scope(entry))]
        if memory.share != "agent" or caller not in UNKNOWN:  # what names no agent is every agent's there
            assert all(may_see(memory.share, scope, caller) for scope in seen_by)
    for id_ in made:
        memory.tool("forget", caller, id=id_)
    return answer


WAYS: Sequence[Callable[[SharedMemory, Scope, str, Scope, int], str]] = (
    *(searched, recalled, searched_by_tool, searched_by_tool, listed_by_tool),
    *(read_by_id, in_prompt, in_prompt, forgotten, remembered),
)
TEXTS = ("the code of the bicycle lock", "bicycle lock code {word}", "{word}", "lock", "' OR 1=1 --", "{owner}", "%")


def asked_text(form: str, owner: Scope) -> str:
    return form.format(word=word_of(owner), owner=f"{owner.user} {owner.channel} {owner.session}")


@pytest.mark.accept("NC-10")
@settings(max_examples=CASES // len(SHARES), **SETTINGS)
@given(
    caller=st.sampled_from([*SCOPES, *UNKNOWN]),
    owner=st.sampled_from(SCOPES),
    forgets=st.booleans(),
    way=st.sampled_from(WAYS),
    form=st.sampled_from(TEXTS),
    number=st.integers(0, 59),
)
def test_nobody_is_told_what_is_not_theirs(memory: SharedMemory, caller, owner, forgets, way, form, number):
    if forgets:
        memory.forget_sessions()
    answer = way(memory, caller, asked_text(form, owner), owner, number)
    leaked = [scope for scope in told(answer) if not may_see(memory.share, caller, scope)]
    assert leaked == []


@pytest.mark.accept("NC-10")
def test_everybody_is_told_what_is_theirs(memory: SharedMemory):
    for caller in SCOPES[:: len(SCOPES) // 6]:
        seen = [scope for scope in SCOPES if may_see(memory.share, caller, scope)]
        for way in (searched, searched_by_tool, in_prompt, read_by_id):
            assert caller in told(way(memory, caller, word_of(caller), caller, 58))
        at_hand = {scope for scope in seen if scope.project in ("", caller.project)}
        assert set(told(in_prompt(memory, caller, "", caller, 0))) == at_hand


LISTS = (
    ("entries", "list"),
    ("search", "bicycle lock code", "--limit", "200", "--no-embeddings"),
    ("timeline", "--all", "--limit", "200"),
)


def command(*arguments: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert run_command_line([*arguments, "--json"]) == 0
    return str(json.loads(out.getvalue().splitlines()[-1]))


@pytest.mark.accept("NC-10")
@settings(max_examples=COMMANDS // len(SHARES), **SETTINGS)
@given(
    owner=st.sampled_from(SCOPES),
    fields=st.sets(st.sampled_from(("agent", "user", "channel", "session")), min_size=1),
    work=st.sampled_from(LISTS),
)
def test_the_command_line_shows_what_it_is_asked_for_and_no_more(memory: SharedMemory, owner, fields, work):
    wanted = {name: getattr(owner, name) for name in sorted(fields) if getattr(owner, name)}
    options = [part for name, value in wanted.items() for part in (f"--{name}", value)]
    answer = command(*work, *options, "--workspace", str(memory.workspace))
    fitting = {s for s in WORDS.values() if all(getattr(s, name) == value for name, value in wanted.items())}
    assert set(told(answer)) == fitting


@pytest.mark.accept("NC-10")
async def test_consolidation_shows_the_model_one_scope_at_a_time(memory: SharedMemory):
    asked: list[str] = []

    async def model(messages: Sequence[Any], *, max_tokens: int, purpose: str) -> str:
        asked.append("\n".join(str(message["content"]) for message in messages))
        return "{}"

    await NightlyConsolidation(
        AsyncEntryRepository(memory.workspace, clock=SystemClock(), redact=redact_text),
        clock=SystemClock(),
        redact=redact_text,
        complete=model,
        options=ConsolidationOptions(consolidation_tokens=60_000),
        narrow=memory.host.visible_scope,
    ).run(dry_run=True)
    assert {scope for text in asked for scope in told(text)} == set(SCOPES)
    for text in asked:
        inside = told(text)
        assert all(may_see(memory.share, one, other) for one in inside for other in inside)
