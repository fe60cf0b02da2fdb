"""A strong model in a stock nanobot, forty messages in eight sessions: what it keeps, and what is kept from it."""

import re
import sys
from collections import Counter
from datetime import timedelta

import pytest

from nanobot_memory_plugins.core import estimate_tokens
from nanobot_memory_plugins.tools.scripted_model import Request, ToolCall
from tests.behaviour.kit.forty_messages import (
    ALLERGY,
    DECISION,
    DENTIST,
    MAIL,
    OLD_STAGING,
    PIANO,
    SECRETS,
    SESSIONS,
    STAGING,
    SURGERY,
    TABLES,
    ZH_LONG,
    ZH_SHORT,
    script,
)
from tests.behaviour.kit.life import Life
from tests.behaviour.kit.model import ReadingModel, purpose_of
from tests.behaviour.kit.nanobot import NARROW, Nanobot
from tests.behaviour.kit.waiting import until

pytestmark = pytest.mark.host


def size(request: Request) -> int:
    return sum(estimate_tokens(str(request.body.get(part) or "")) for part in ("messages", "tools"))


def ours(names: list[str]) -> list[str]:
    """Leave out the files that nanobot itself writes."""
    return [one for one in names if one.startswith((".storage/", "memory/")) and one != "memory/history.jsonl"]


async def test_forty_messages_with_a_strong_model(nanobot: Nanobot, life: Life, model: ReadingModel):
    script(model)
    assert sum(map(len, SESSIONS)) == 40
    nanobot.defaults = dict(NARROW)
    for number, session in enumerate(SESSIONS):
        heads = (text.partition("\n")[0] for text, _, _ in session)
        public = [one[:70] for one in heads if not any(word in one for word in SECRETS)]
        model.summary = f"They spoke of this: {' '.join(public)}"
        async with nanobot.loop() as loop:
            for text, reply, _ in session:
                answer = await loop.process_direct(text, session_key=f"cli:{number}")
                assert answer is not None
                assert answer.content == reply, text
            await loop.process_direct("/new", session_key=f"cli:{number}")
            if number == 5:
                await until(lambda: life.files_with("TimescaleDB for the turbine"), "what was learned")
    spent: Counter[str] = Counter()
    for request in model.requests:
        spent[purpose_of(request) or "turns"] += size(request)
    asked = Counter(purpose_of(request) or "turns" for request in model.requests)
    background = spent.total() - spent["turns"]
    sys.stdout.write(f"requests {dict(asked)}, tokens {dict(spent)}, background {background}\n")

    # What it wrote stands as it wrote it, once, as the user's; what was replaced or forgotten holds no more.
    entries = life.entries()
    written = {
        str(step.arguments["text"])
        for session in SESSIONS
        for _, _, steps in session
        for step in steps
        if isinstance(step, ToolCall) and step.name == "remember" and isinstance(step.arguments, dict)
    }
    untrue = {text for text in written if "evil" in text or "TG-7" in text or "Zelmira" in text}
    users = Counter(one["content"] for one in entries if one["origin"] == "user")
    assert set(users) == (written - untrue - {PIANO, TABLES}) | {STAGING, ZH_LONG, DECISION}
    assert set(users.values()) == {1}
    held = {one["content"] for one in entries if not one["superseded_by"]}
    assert not held & {OLD_STAGING, ZH_SHORT}
    for text, day in (("dentist", DENTIST), ("白内障", SURGERY)):
        (entry,) = (one for one in entries if text in one["content"])
        assert entry["expires_at"].startswith(str(day + timedelta(days=1)))

    # The prompt of the last turn: wishes as they are now, and nothing that a mail or a page wants.
    system = model.asked()[-1].system
    for there in (ALLERGY, STAGING, ZH_LONG, DECISION, "Karin Ek"):
        assert there in system
    for gone in (OLD_STAGING, ZH_SHORT, TABLES, "钢琴"):
        assert gone not in system
    for request in model.asked():
        assert not any(word in request.system for word in ("evil-vendor", "TG-7", "penicillin"))
        for line in request.last_user.split("\n\n", 1)[-1].splitlines() if MAIL[:40] not in request.last_user else ():
            assert not ("user:" in line and "evil-vendor" in line), line

    # What is off the record is in no file of ours, and in no request behind the turns.
    assert ours(life.files_with(*SECRETS)) == []
    behind = [request for request in model.requests if purpose_of(request)]
    assert not any(word in request.text for request in behind for word in SECRETS)
    assert life.command("purge", "--text", "每周三学钢琴", "--yes").status == 0
    assert ours(life.files_with("学钢琴")) == []

    # What was said is read once behind the turns, and once where the host cuts it; what our tools answered never.
    assert background <= 28_900
    assert not any("Kept in memory/" in one.text for one in behind)
    for purpose in ("reading", "compaction"):
        for mark in (
            "Hi, I'm Mira",
            "我妈妈下周",
            "Karin Ek is",
            "What is 17",
            "What should I",
            "For the tur",
            "We keep",
        ):
            said = re.compile(rf"(?:user|用户): {mark}")
            assert sum(bool(said.search(one.last_user)) for one in model.asked(purpose)) == 1, (purpose, mark)
