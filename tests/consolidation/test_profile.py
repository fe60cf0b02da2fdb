"""What is known, by kind: since when, from which words, what is over apart, and under which names."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nanobot_memory_plugins.consolidation.model.entry import Category
from nanobot_memory_plugins.consolidation.model.entry_view import view_of
from nanobot_memory_plugins.consolidation.operations.profile import profile
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import KnownEntry, MemoryHost, Profile
from nanobot_memory_plugins.core.cli.main import app
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, render_transcript_line
from nanobot_memory_plugins.core.text.profile import profile_text
from nanobot_memory_plugins.core.values import Origin, Scope

from .learning import spoken_config as config
from .made_entries import NOW, added, days, entry

pytestmark = pytest.mark.leaving


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    session = "cli:direct"
    transcript = MemoryPaths(tmp_path).transcript(session)
    transcript.parent.mkdir(parents=True)
    lines = ["I moved to Leipzig, Ana helped.", "Ana, my sister, runs a bakery. What is the time?"]
    for number, text in enumerate(lines):
        time = NOW - timedelta(days=9 - number)
        record = TranscriptRecord("user", text, session, Scope(session=session), Origin.USER, f"m{number}", time)
        with transcript.open("ab") as file:
            file.write(render_transcript_line(record))
    known = [
        entry("home", "The user lives in Leipzig", 0.8, source_session=session, created_at=NOW - days(9)),
        entry("old", "The user lives in Berlin", 0.6, superseded_by="home", created_at=NOW - days(90)),
        entry("ana", "The user's sister Ana runs a bakery", 0.7, source_session=session, created_at=NOW - days(8)),
        entry("full", "Anastasia (also called Ana) is allergic to nuts", 0.5),
        entry("todo", "Call the bank", 0.5, category="todo"),
    ]
    known = [replace(one, last_activated=datetime.now(UTC)) for one in known]
    EntryRepository(tmp_path).update(added(*known), who="test", why="fill")
    return tmp_path


def test_everything_is_told_by_kind_and_what_is_over_apart(workspace: Path):
    entries = EntryRepository(workspace).load().entries.values()
    found = profile(MemoryPaths(workspace), entries)
    assert {category: [one.entry.id for one in told] for category, told in found.known.items()} == {
        "fact": ["home", "ana", "full"],
        "todo": ["todo"],
    }
    assert [one.entry.id for one in found.ended] == ["old"]
    ana = found.known["fact"][1]
    assert (ana.words, ana.said_at) == ("Ana, my sister, runs a bakery.", NOW - days(8))
    assert found.known["fact"][2].words == ""


def test_of_whom_no_entry_tells_the_command_says_where_else_to_look(workspace: Path):
    done = CliRunner().invoke(app, ["profile", "--about", "Jun Watanabe", "--workspace", str(workspace)])
    assert "No entry is about Jun Watanabe; `nanobot-memory search` looks in" in " ".join(done.output.split())


def test_with_a_project_what_is_about_others_is_left_out(workspace: Path):
    of = {one: replace(entry(one, f"The {one} pump leaks", 0.5), scope=Scope(project=one)) for one in ("ours", "other")}
    EntryRepository(workspace).update(
        added(*(replace(one, last_activated=datetime.now(UTC)) for one in of.values())), who="test", why="fill"
    )
    told = CliRunner().invoke(app, ["profile", "--project", "ours", "--workspace", str(workspace)])
    assert "The ours pump leaks" in told.output
    assert "The other pump leaks" not in told.output
    assert "The user lives in Leipzig" in told.output


ASKED_MORE = [
    ("你还记得我喜欢什么吗？", None),
    ("你记得小李喜欢什么吗", None),
    ("你知道我想要什么", None),
    ("你还记得我住哪里吗", None),
    ("你知道我妹妹什么", "我妹妹"),
    ("你都记得我们什么", ""),
    ("what do you know about me?", ""),
    ("What do you know about me", ""),
    ("what have you stored about me", ""),
    ("What do you remember about me?", ""),
    ("What have you got on me?", ""),
    ("what do you have on me", ""),
    ("What all do you know about me?", ""),
    ("So what do you actually know about me?", ""),
    ("Do you know anything about me?", ""),
    ("do you remember anything about me?", ""),
    ("What's in your memory about me?", ""),
    ("what is stored about me?", ""),
    ("What information do you have about me?", ""),
    ("What data do you keep about me?", ""),
    ("Which facts do you know about me?", ""),
    ("Tell me what you know about me.", ""),
    ("Can you tell me what you know about me?", ""),
    ("Show me what you remember about me", ""),
    ("List everything you know about me", ""),
    ("Tell me everything you remember about me, please.", ""),
    ("What have you learned about me so far?", ""),
    ("what did you save about me", ""),
    ("What do you know of me?", ""),
    ("hey, what do you know about me now?", ""),
    ("What do you know about Ana?", "Ana"),
    ("what have you stored about my sister?", "my sister"),
    ("Tell me everything you know about Ana", "Ana"),
    ("Do you remember anything about Ana?", "Ana"),
    ("What information do you have about Acme Corp?", "Acme Corp"),
    ("what are your memories about me?", ""),
    ("Give me a summary of what you know about me", ""),
    ("summarise what you know about me", ""),
    ("What facts have you remembered about me?", ""),
    ("who am I, what do you know about me?", ""),
    ("你都记得我什么", ""),
    ("你知道我什么", ""),
    ("你了解我多少", ""),
    ("你对我了解多少？", ""),
    ("你记住了我哪些事", ""),
    ("关于我你知道些什么", ""),
    ("关于我，你都记了什么", ""),
    ("你存了我哪些信息", ""),
    ("你保存了关于我的什么信息", ""),
    ("你有我的什么信息？", ""),
    ("你记得关于我的哪些事情？", ""),
    ("说说你都知道我什么", ""),
    ("告诉我你都记得我的什么", ""),
    ("列出你知道的关于我的一切", ""),
    ("把你记得的我的事都说一下", ""),
    ("你记忆里有我什么", ""),
    ("你的记忆里有关于我的什么内容？", ""),
    ("你还记得我什么吗", ""),
    ("你知道关于小李的什么", "小李"),
    ("关于小李你都知道什么", "小李"),
    ("你都记了小李什么", "小李"),
    ("你知道我些啥", ""),
    ("你对我有什么了解", ""),
    ("你对我有哪些记忆？", ""),
    ("你认识我吗，知道我什么", ""),
    ("你掌握了我的哪些资料", ""),
    ("what do you know about taxes in Spain, and how do I file them?", None),
    ("What do you think about me?", None),
    ("What do you know about me and taxes?", None),
    ("tell me about yourself", None),
    ("Do you know me?", None),
    ("what should I know about Ana?", None),
    ("What does Ana know about me?", None),
    ("你知道我几点下班吗", None),
    ("你知道我在说什么吗", None),
    ("你对我说了什么", None),
    ("你记得我昨天说什么了吗", None),
    ("你知道什么是量子力学吗", None),
    ("关于我的简历你怎么看", None),
    ("你了解一下我的需求", None),
    ("what did I say about me", None),
    ("How do you know about me?", None),
    ("你怎么知道我的名字", None),
    ("What have you stored in the file", None),
    ("list the files you know", None),
    ("what do you want to know about me?", None),
    ("帮我记住我喜欢什么", None),
    ("tell me what you think about Ana", None),
]


@pytest.mark.parametrize("kind", Category)
def test_a_profile_in_chinese_has_no_kind_and_no_origin_in_english(kind: Category):
    told = [KnownEntry(view_of(entry("one", "喜欢喝茶", 0.8, category=kind, origin=origin))) for origin in Origin]
    assert not re.search("[a-z]", profile_text(Profile({kind.value: told}), "", "zh"))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            "王醫師把脈優停掉了，改吃得安穩，一樣早上一顆。你今天好嗎？",
            "王醫師把脈優停掉了，改吃得安穩，一樣早上一顆。",
        ),
        (
            "Dr. Wang stopped the old pills, I take Diovan now. How are you? One Diovan each morning.",
            "Dr. Wang stopped the old pills, I take Diovan now. … One Diovan each morning.",
        ),
    ],
)
def test_a_quotation_leaves_out_only_what_its_ellipsis_stands_for(tmp_path: Path, said: str, words: str):
    transcript = MemoryPaths(tmp_path).transcript("cli:direct")
    transcript.parent.mkdir(parents=True)
    record = TranscriptRecord("user", said, "cli:direct", Scope(session="cli:direct"), Origin.USER, "m", NOW)
    transcript.write_bytes(render_transcript_line(record))
    text = (
        "醫師停掉脈優，改吃得安穩，早上一顆" if words.startswith("王") else "Dr. Wang stopped the old pills, one Diovan"
    )
    known = entry("pill", text, 0.8, source_session="cli:direct", created_at=NOW)
    assert [one.words for one in profile(MemoryPaths(tmp_path), [known]).entries] == [words]


async def test_words_that_were_to_be_forgotten_are_told_nowhere(workspace: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "consolidation")
    async with MemoryHost(workspace, config=config()) as memory:
        await memory.message_received(session_key="cli:one", text="My cat is called Momo in Lund where I live.")
        for text in ("The user's cat is called Momo", "The user has a flat in Lund"):
            await memory.tool("remember").run({"text": text}, session_key="cli:one")
        about = {"session_key": "cli:one", "text": "What do you know about Lund?"}
        before = (await memory.message_received(**about)).block
        await memory.message_received(session_key="cli:one", text="Forget that my cat is called Momo.")
        after = (await memory.message_received(**about)).block
    told = CliRunner().invoke(app, ["profile", "--about", "Lund", "--workspace", str(workspace)]).output
    assert ("Momo" in before, "Momo" in after, "Momo" in told) == (True, False, False)
    assert "a flat in Lund" in after
    assert "a flat in Lund" in told


def test_an_entry_is_told_with_the_words_it_was_learned_from_and_not_with_those_that_deny_it_later(tmp_path: Path):
    session = "cli:direct"
    transcript = MemoryPaths(tmp_path).transcript(session)
    transcript.parent.mkdir(parents=True)
    said = ["Remember that Mum's birthday is on 3 March.", "Remember that Mum's birthday is on 4 March, not 3 March."]
    for number, text in enumerate(said):
        time = NOW + timedelta(minutes=number, milliseconds=700)
        record = TranscriptRecord("user", text, session, Scope(session=session), Origin.USER, f"m{number}", time)
        with transcript.open("ab") as file:
            file.write(render_transcript_line(record))
    known = [
        entry(f"m{number}", text, 0.8, source_session=session, created_at=NOW + timedelta(minutes=number))
        for number, text in enumerate(["Mum's birthday is on 3 March", "Mum's birthday is on 4 March"])
    ]
    earlier = entry("early", "Mum has a birthday in March", 0.8, source_session=session, created_at=NOW - days(3))
    told = profile(MemoryPaths(tmp_path), [*known, earlier]).known["fact"]
    assert {one.entry.id: one.words for one in told} == {"m0": said[0], "m1": said[1], "early": said[1]}
