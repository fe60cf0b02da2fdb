"""One session that goes on and on, on the real nanobot: what is planted on the way is asked for at the end."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from nanobot_memory_plugins.core.testing.scripted_server import Reply, ReplyRule, Request, ScriptedServer
from tests.support.nanobot import Installation

WINDOW, MAX_TOKENS = 32_000, 2_048
ACKNOWLEDGED = "Noted, and on we go."
_ADJECTIVES = "amber blue crimson dusty emerald folded golden hollow ivory jagged"
_NOUNS = "kettle lantern tripod saddle compass violin anvil mirror ladder teapot"
_CITIES = "Lisbon Bergen Nairobi Osaka Quito Tampere Zagreb Cardiff Hobart Malmo"
_COLORS = ("红色的", "蓝色的", "绿色的", "白色的", "黑色的", "黄色的", "紫色的", "灰色的", "银色的", "棕色的")
_THINGS = ("水壶", "灯笼", "三脚架", "马鞍", "指南针", "小提琴", "铁砧", "镜子", "梯子", "茶壶")
_PLACES = ("杭州", "成都", "青岛", "西安", "厦门", "苏州", "昆明", "大连", "武汉", "长沙")
_LAST_ACTIVE = re.compile(r"\(last active [^)]*\)")
_FILLER = """
    the report mentions rainfall harvest traffic budget museum river schedule engine garden letter market window bridge
    paper music winter table forest coffee signal carpet planet morning station story number corner village teacher
"""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that the user says once, the question that asks for it, and what only a good answer holds."""

    told: str
    question: str
    truth: str


@dataclass(slots=True)
class Course:
    """What was seen on the way. Requests with tools are the user's turns, those without are made on nobody's wish."""

    replies: list[str] = field(default_factory=list)
    foreground: list[Request] = field(default_factory=list)
    background: list[Request] = field(default_factory=list)
    foreground_tokens: int = 0
    background_tokens: int = 0
    largest_prompt: int = 0
    compactions: int = 0
    forgotten: list[Fact] = field(default_factory=list)

    @property
    def systems(self) -> list[str]:
        """The system prompts that the model saw, one after another, each once as long as it stayed the same.

        After a compaction nanobot writes the time of the last activity once more, in another form: that is left out.
        """
        found: list[str] = []
        for request in self.foreground:
            system = _LAST_ACTIVE.sub("", request.system)
            if not found or found[-1] != system:
                found.append(system)
        return found


def facts(count: int, seed: int = 1) -> list[Fact]:
    """Return different facts, in English and Chinese in turn."""
    chance = random.Random(seed)
    english = [(adjective, noun) for adjective in _ADJECTIVES.split() for noun in _NOUNS.split()]
    chinese = [(color, thing) for color in _COLORS for thing in _THINGS]
    chance.shuffle(english)
    chance.shuffle(chinese)
    found = []
    for number in range(count):
        shelf = chance.randint(100, 999)
        if number % 2 == 0:
            adjective, noun = english[number // 2]
            place = f"shelf {shelf} in {chance.choice(_CITIES.split())}"
            told = f"By the way, the {adjective} {noun} is on {place}."
            found.append(Fact(told, f"Do you remember where the {adjective} {noun} is?", place))
        else:
            color, thing = chinese[number // 2]
            place = f"{chance.choice(_PLACES)}的{shelf}号柜"
            found.append(Fact(f"顺便说一下，{color}{thing}放在{place}。", f"你记得{color}{thing}放在哪里吗？", place))
    return found


def filler(chance: random.Random, words: int) -> str:
    """Return sentences that mean nothing."""
    known = _FILLER.split()
    said = [chance.choice(known) for _ in range(words)]
    return " ".join(word + "." if place % 11 == 10 else word for place, word in enumerate(said))


def background_answer(request: Request) -> Reply:
    """Answer what is asked on nobody's wish as a fair model would: with the last things that were said."""
    sentences = [one.strip() for one in request.text.split("\\n") if "By the way" in one or "顺便说一下" in one]
    return Reply("Summary: the user went through a report. " + " ".join(sentences)[-600:])


def script() -> list[ReplyRule]:
    """Return the rules of the scripted model."""
    return [ReplyRule(lambda request: not request.tool_names, background_answer)]


async def converse(nanobot: Installation, server: ScriptedServer, turns: int, told: Sequence[Fact]) -> Course:
    """Hold the conversation, close nanobot, and ask for every fact in sessions of their own."""
    from nanobot.utils.helpers import estimate_prompt_tokens

    chance = random.Random(7)
    course = Course()
    every = max(1, turns // len(told))
    loop = nanobot.loop()
    for turn in range(turns):
        text = f"Page {turn}. {filler(chance, 330)}"
        if turn % every == 0 and turn // every < len(told):
            text = f"{text}\n{told[turn // every].told}"
        course.replies.append(await said(loop, text))
    await loop.aclose()
    for request in server.requests:
        tools = list(request.body.get("tools") or ())
        tokens = estimate_prompt_tokens(request.messages, tools)
        course.largest_prompt = max(course.largest_prompt, tokens)
        if tools:
            course.foreground.append(request)
            course.foreground_tokens += tokens
        else:
            course.background.append(request)
            course.background_tokens += tokens
    history = nanobot.workspace / "memory" / "history.jsonl"
    course.compactions = len(history.read_text(encoding="utf-8").splitlines()) if history.exists() else 0
    loop = nanobot.loop()
    for number, fact in enumerate(told):
        await said(loop, fact.question, session_key=f"cli:asked{number}")
        if fact.truth not in server.requests[-1].last_user:
            course.forgotten.append(fact)
    await loop.aclose()
    return course


async def said(loop: Any, text: str, **rest: Any) -> str:
    """Say something to nanobot and return its answer."""
    answer = await loop.process_direct(text, **rest)
    return str(getattr(answer, "content", answer) or "")
