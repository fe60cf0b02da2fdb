"""Every form in which our own program writes a text: what holds all the words goes, what holds a part is named.

Each form has four words of its own, which stand nowhere else. After a purge no file holds one of them unless the purge
has named it, with its lines; after ``--nearly`` none does.
"""

import asyncio
import json
import time
import unicodedata
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, forget, remember
from nanobot_memory_plugins.consolidation.store.atomic_files import keep_aside
from nanobot_memory_plugins.consolidation.store.nightly_records import Proposal, Records
from nanobot_memory_plugins.consolidation.store.pending_sessions import Pending
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.files import replace_file
from nanobot_memory_plugins.core.values import Destination, Message, Origin, Scope
from tests.support.files_of import holders_of

pytestmark = pytest.mark.leaving

PLUGINS = {"storage": {"embeddingProvider": "none"}, "nanobot": {"enabled": False}}
CONFIG = MemoryConfig.model_validate({"plugins": PLUGINS})
FILLER = "Nothing of it matters much to anybody who reads along here today. "


class Form:
    """One form, with words of its own. ``said`` is what is purged."""

    def __init__(self, number: int, name: str) -> None:
        tail = "".join("bdfgklmnprst"[int(digit)] + "aeiou"[int(digit) % 5] for digit in f"{number:03}")
        self.name = name
        self.words = tuple(f"{head}{tail}" for head in ("Zeb", "Krig", "Marz", "Ning"))
        self.said = "{} {} lives at {} Alley {}".format(*self.words)

    def holders(self, workspace: Path) -> set[str]:
        """Return the files that hold one of its words."""
        needles = [form.encode() for word in self.words for form in (word, word.lower(), word.upper())]
        return set(holders_of(workspace, *needles))


async def message(host: MemoryHost, text: str, **_: Any) -> None:
    await host.message_received(session_key="cli:forms", text=f"By the way. {text}. And so on.")


async def tool(host: MemoryHost, *, arguments: object = None, result: object = None, error: str | None = None) -> None:
    await host.tool_executed(
        session_key="cli:forms", tool_name="look", arguments=dict(arguments or {}), result=result, error=error
    )


def cut_inside(form: Form, limit: int) -> str:
    """Return a long text that a limit of so many characters cuts in the middle of the words."""
    lead = (FILLER * (limit // len(FILLER) + 1))[: limit - 45].rsplit(" ", 1)[0]
    return f"{lead}. {form.said} and so on. {FILLER * 8}"


def long_sentence(form: Form) -> list[dict[str, str]]:
    """Return a conversation whose long sentence is cut around a gap, by flush, summary and compaction."""
    pad = " ".join(f"word{number}" for number in range(40))
    text = f"I decided that {(pad + pad)[:280]} {form.said} {pad} {pad} in the end"
    return [{"role": "user", "content": text}, {"role": "assistant", "content": "I see."}]


async def excerpt(host: MemoryHost, form: Form) -> None:
    """Have an excerpt made of a conversation that stands whole in its transcript: both go together."""
    history = long_sentence(form)
    await host.before_compaction(session_key="cli:cut", messages=history, context_window=8_000, reason="token_pressure")
    await host.session_idle(session_key="cli:cut", history=history, ended=True)


async def lone_excerpt(host: MemoryHost, form: Form) -> None:
    """Have an excerpt made of a conversation whose transcript is gone."""
    history = long_sentence(form)
    await host.before_compaction(
        session_key="cli:lone", messages=history, context_window=8_000, reason="token_pressure", known=2
    )
    await host.session_idle(session_key="cli:lone", history=history, ended=True)


async def conversation(host: MemoryHost, form: Form) -> None:
    """Have a conversation flushed, summarised, compacted and kept for learning from it."""
    history = [{"role": "user", "content": f"Remember that {form.said}."}, {"role": "assistant", "content": "I will."}]
    await host.before_compaction(
        session_key="cli:conv", messages=history, context_window=8_000, reason="token_pressure"
    )
    await host.session_idle(session_key="cli:conv", history=history, ended=True)


async def entry_with_history(host: MemoryHost, form: Form) -> None:
    repository = EntryRepository(host.workspace)
    gone = remember(repository, NewEntry(f"It is said that {form.said}"), who="user").entry.id
    forget(repository, [gone], who="user")


async def long_entry(host: MemoryHost, form: Form) -> None:
    remember(EntryRepository(host.workspace), NewEntry(cut_inside(form, 2_000)), who="user")


async def pending(host: MemoryHost, form: Form) -> None:
    paths = EntryRepository(host.workspace).paths
    Pending(paths).add("cli:wait", [Message("user", f"Ünd: {form.said}")], Scope())


async def proposals(host: MemoryHost, form: Form) -> None:
    paths = EntryRepository(host.workspace).paths
    Records(paths).keep_proposals([Proposal(f"{form.said}.", "MEMORY.md")], [])


async def aside(host: MemoryHost, form: Form) -> None:
    path = EntryRepository(host.workspace).path
    keep_aside(path, b"\0\0" + f"# Damaged\n\n{form.said}.\n".encode(), SystemClock().now())


async def transcript_backup(host: MemoryHost, form: Form) -> None:
    path = host.workspace / "memory" / "sessions" / "other.jsonl"
    path.write_text(json.dumps({"id": "o1", "role": "user", "text": form.said}) + "\n", encoding="utf-8")
    replace_file(path, b'{"id": "o2", "role": "user", "text": "later"}\n')


async def left_by_a_crash(host: MemoryHost, form: Form) -> None:
    folder = host.workspace / "memory"
    (folder / ".2026-01-01.md.0123456789abcdef.tmp").write_text(form.said, encoding="utf-8")
    (folder / ".entries" / ".journal.jsonl.0123456789abcdef.tmp").write_text(form.said, encoding="utf-8")


async def day_note_backup(host: MemoryHost, form: Form) -> None:
    path = host.workspace / "memory" / "2026-01-02.md"
    head = "### 2026-01-02 10:00\ntype: note\nid: abc1\norigin: user\ntl;dr: "
    path.write_text(f"{head}{form.said}\n\n", encoding="utf-8")
    replace_file(path, f"{head}later\n\n".encode())


async def torn_line(host: MemoryHost, form: Form) -> None:
    path = host.workspace / "memory" / "sessions" / "torn.jsonl"
    path.write_text(f'{{"id": "t1", "role": "user", "text": "{form.said}', encoding="utf-8")


def keep(**fields: Any) -> Callable[[MemoryHost, Form], Awaitable[object]]:
    async def write(host: MemoryHost, form: Form) -> None:
        made = {name: value.format(form.said) if isinstance(value, str) else value for name, value in fields.items()}
        if "tags" in made:
            made["tags"] = (form.said,)
        await host.keep(Note(**{"tldr": "A note", **made}, origin=Origin.USER), session_key="cli:forms")

    return write


def dumped(value: object, times: int = 1) -> str:
    text = json.dumps(value)
    for _ in range(times - 1):
        text = json.dumps(text)
    return text


def fullwidth(text: str) -> str:
    return "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in text)


WHOLE: dict[str, Callable[[MemoryHost, Form], Awaitable[object]]] = {
    "message": lambda h, f: message(h, f.said),
    "reply": lambda h, f: h.message_sent(session_key="cli:forms", text=f"So {f.said}!"),
    "upper case": lambda h, f: message(h, f.said.upper()),
    "wrapped": lambda h, f: message(h, f.said.replace(" ", "\n", 3)),
    "quoted": lambda h, f: message(h, "> " + f.said.replace(" Alley", "\n> Alley")),
    "bold and double blanks": lambda h, f: message(h, f"**{f.said}**".replace(" ", "  ")),
    "zero width and soft hyphens": lambda h, f: message(h, f.said.replace("iv", "i\u200bv").replace("ey", "e\u00ady")),
    "accents in two parts": lambda h, f: message(h, unicodedata.normalize("NFD", f.said.replace("lives", "lïves"))),
    "fullwidth": lambda h, f: message(h, fullwidth(f.said)),
    "arguments": lambda h, f: tool(h, arguments={"q": f.said, "n": 3}),
    "JSON in arguments": lambda h, f: tool(h, arguments={"body": dumped({"text": f"a\t{f.said}\nb"})}),
    "tabs and line ends in a result": lambda h, f: tool(h, result={"t": f.said.replace(" lives", "\n\tlives")}),
    "JSON in JSON in a result": lambda h, f: tool(h, result={"t": dumped({"u": f.said.replace(" at", "\nat")}, 3)}),
    "escaped letters": lambda h, f: tool(h, result=dumped({"t": f.said.replace("lives", "lïves")})),
    "escaped letters, twice": lambda h, f: tool(h, result={"t": dumped({"t": f.said.replace("lives", "lïves")})}),
    "a list of results": lambda h, f: tool(h, result=[1, [f.said], {"x": [f.said]}]),
    "an error": lambda h, f: tool(h, error=f"ValueError: {f.said}"),
    "an address": lambda h, f: tool(h, arguments={"url": "https://x.example/?q=" + f.said.replace(" ", "%20")}),
    "HTML": lambda h, f: tool(h, result=f.said.replace(" lives", "&nbsp;lives")),
    "tl;dr": keep(tldr="It says {}"),
    "details": keep(details="- one\n- {}\n- two"),
    "a heading in details": keep(details="# {}\ntext"),
    "title": keep(title="{}"),
    "tags": keep(tags=("{}",)),
    "long-term note": keep(tldr="For long: {}", destination=Destination.LONG_TERM),
    "conversation": conversation,
    "an entry and its journal": entry_with_history,
    "what waits to be learned from": pending,
    "proposals": proposals,
    "an entries' file kept aside": aside,
    "backup of a transcript": transcript_backup,
    "backup of a day note": day_note_backup,
    "left by a crash": left_by_a_crash,
    "half a line": torn_line,
    "an excerpt of a conversation": excerpt,
}
PART: dict[str, Callable[[MemoryHost, Form], Awaitable[object]]] = {
    "arguments cut": lambda h, f: tool(h, arguments={"command": cut_inside(f, 290)}),
    "error cut": lambda h, f: tool(h, error=cut_inside(f, 290)),
    "result cut": lambda h, f: tool(h, result=cut_inside(f, 1_990)),
    "tl;dr cut": lambda h, f: tool(h, arguments={"c": "x " * 52}, result=f.said + " " + FILLER),
    "an excerpt of a conversation alone": lone_excerpt,
    "an entry cut": long_entry,
}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,consolidation,observation,flush,summary,compaction")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"memoryPlugins": PLUGINS}), encoding="utf-8")
    (tmp_path / "workspace").mkdir()
    return tmp_path / "workspace"


@pytest.mark.slow
def test_each_form_that_we_write_is_found_whole_or_named_as_a_part(workspace: Path, capsys: pytest.CaptureFixture[str]):
    forms = [Form(number, name) for number, name in enumerate((*WHOLE, *PART))]

    async def write() -> None:
        async with MemoryHost(workspace, config=CONFIG) as host:
            for form in forms:
                await (WHOLE | PART)[form.name](host, form)
            await host.flush_index()

    asyncio.run(write())
    assert [form.name for form in forms if not form.holders(workspace)] == []

    def purge(*more: str) -> dict[str, Any]:
        texts = [part for form in forms for part in ("--text", form.said)]
        command = ["purge", *texts, "--yes", "--json", "--workspace", str(workspace), *more]
        assert run_command_line(command) == 0
        return json.loads(capsys.readouterr().out.splitlines()[-1])

    told = purge()
    # Its index, and the fingerprints by which it is known again, are no text of it.
    left = {form.name: form.holders(workspace) - {".storage/memory.db"} for form in forms}
    assert {name for name, files in left.items() if files} == PART.keys()
    named = {one["where"]: one["lines"] for one in told["traces"] if one["nearly"] and not one["removed"]}
    for form in forms:
        for file in left[form.name]:
            assert any(word in line["text"] for line in named[file] for word in form.words), (form.name, file)
    purge("--nearly")
    assert {form.name: files for form in forms if (files := form.holders(workspace))} == {}
    assert holders_of(workspace, fullwidth(forms[list(WHOLE).index("fullwidth")].words[0])) == []


def test_a_line_of_backslashes_holds_up_no_purge(tmp_path: Path):
    note = tmp_path / "memory" / "2026-11-01.md"
    note.parent.mkdir()
    note.write_text("# Notes\n\nthe words Zanzibarina " + "\\" * 65_536 + "\n", encoding="utf-8")
    began = time.process_time()
    run_command_line(["purge", "--text", "Zanzibarina", "--yes", "--workspace", str(tmp_path)])
    # Read again at each of them, they took a minute and a half.
    assert time.process_time() - began < 20
