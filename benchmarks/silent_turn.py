"""How many planted facts survive flush and compaction, and how long the silent turn takes, with a real model.

``python -m benchmarks silent_turn [--sessions 10]`` makes conversations, half of them Chinese, with four of the user's
facts among small talk, cuts them as token pressure would, and asks for each fact. A fact is kept when its subject and
its value are in one line of the notes, in the summary, in a kept message, or among the first five hits of a search. It
needs the group ``local-model``; a session takes half a minute on two idle cores.
"""

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.local_model import LocalModelServer, client_of, local_model_file
from benchmarks.measure import quiet
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Query
from nanobot_memory_plugins.core.protocols import Complete
from nanobot_memory_plugins.core.session_reading.reader import PURPOSE

WINDOW = 8_000
# The tokens for the summary and the kept messages, less than the conversation has.
ROOM = 400
_CONTEXT_TOKENS = 8_192
_SESSION = "benchmark:session"
_NO_HURRY = 1_800.0
_SMALL_TALK = 12
# The time limit of a silent turn in the design document.
DOCUMENT_SECONDS = 3.0

# The user's message, the subject of the fact, and its value.
ENGLISH = (
    ("My sister {} lives in {} now.", "Mona Petra Ingrid Celia Ruth", "Lisbon Bergen Nairobi Quito Tampere"),
    (
        "We decided to build the {} in {}.",
        "invoice-service crawler dashboard importer gateway",
        "Rust Go Elixir Kotlin C",
    ),
    (
        "The {} listens on port {}.",
        "staging-database mail-relay build-server cache printer",
        "6543 2526 8123 6390 9101",
    ),
    ("Remind me that the {} is due on {} June.", "tax-return visa insurance thesis rent", "3 7 12 19 28"),
)
CHINESE = (
    ("我妹妹{}现在住在{}。", "小敏 阿珍 丽华 婷婷 晓燕", "杭州 成都 青岛 西安 厦门"),
    ("我们决定用{1}来写{0}。", "账单服务 爬虫程序 仪表盘 导入工具 网关", "Rust Go Elixir Kotlin Zig"),
    ("{}的端口是{}。", "测试数据库 邮件中继 构建服务器 缓存服务 打印机", "6543 2526 8123 6390 9101"),
    ("提醒我{}要在六月{}号之前交。", "报税表 签证材料 保险单 毕业论文 房租", "3 7 12 19 28"),
)
_TALK = {
    "en": (
        "The weather is {} today.",
        "I had {} for lunch.",
        "The bus was {} again.",
        ["grey", "mild", "noodles", "late", "full", "soup"],
    ),
    "zh": ("今天天气{}。", "中午吃了{}。", "公交车又{}了。", ["很闷", "不错", "面条", "晚点", "挤满", "饺子"]),
}
_REPLIES = {"en": "I see, tell me more.", "zh": "好的，您继续说。"}


@dataclass(frozen=True, slots=True)
class PlantedFact:
    """A fact in a conversation, with its subject and its value."""

    subject: str
    truth: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one session. ``written`` are the facts in notes and summary, ``kept`` those found in any way."""

    planted: int
    written: int
    kept: int
    seconds: Sequence[float]


def main(arguments: Sequence[str] = ()) -> None:
    """Print the share of kept facts in each language, and the mean time of the silent turn."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks silent_turn", description=main.__doc__)
    parser.add_argument("--sessions", type=int, default=10, help="how many, half of each language")
    options = parser.parse_args(arguments)
    with quiet(), LocalModelServer(local_model_file(), context_tokens=_CONTEXT_TOKENS) as server:
        complete = client_of(server)
        for language in ("en", "zh"):
            outcomes = [asyncio.run(play(language, seed, complete)) for seed in range(options.sessions // 2)]
            print(f"  {language}: {describe(outcomes)}", flush=True)


def describe(outcomes: Sequence[Outcome]) -> str:
    """Return the figures of some sessions as a line."""
    planted = sum(one.planted for one in outcomes)
    seconds = [second for one in outcomes for second in one.seconds]
    return (
        f"{planted} facts, kept {sum(one.kept for one in outcomes) / planted:.3f}, "
        f"in notes or summary {sum(one.written for one in outcomes) / planted:.3f}, "
        f"silent turn {statistics.mean(seconds) if seconds else float('nan'):.1f} s (document: {DOCUMENT_SECONDS:g} s)"
    )


def conversation(language: str, seed: int) -> tuple[list[dict[str, str]], list[PlantedFact]]:
    """Return a made-up conversation and its facts."""
    chance = random.Random(f"{language}{seed}")
    facts, lines = [], []
    for pattern, subjects, truths in ENGLISH if language == "en" else CHINESE:
        subject, truth = chance.choice(subjects.split()), chance.choice(truths.split())
        facts.append(PlantedFact(subject, truth))
        lines.append(pattern.format(subject, truth))
    *patterns, words = _TALK[language]
    lines += [chance.choice(patterns).format(chance.choice(words)) for _ in range(_SMALL_TALK)]
    chance.shuffle(lines)
    return [
        message
        for line in lines
        for message in ({"role": "user", "content": line}, {"role": "assistant", "content": _REPLIES[language]})
    ], facts


async def play(language: str, seed: int, model: Complete) -> Outcome:
    """Return what is left of a conversation after the cut."""
    messages, facts = conversation(language, seed)
    seconds: list[float] = []

    async def complete(prompt: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
        started = time.perf_counter()
        try:
            return str(await model(prompt, max_tokens=max_tokens, purpose=purpose))
        finally:
            if purpose == PURPOSE:
                seconds.append(time.perf_counter() - started)

    limits = {"message_limit": 60, "compaction_limit": _NO_HURRY}
    patient_configuration = {"timeout": _NO_HURRY, "purpose_timeouts": {}, "daily_tokens": 10_000_000}
    config = MemoryConfig.model_validate(
        {"core": {**limits, "language_model": patient_configuration}, "plugins": {"recall": {"recall_timeout": 30}}}
    )
    with tempfile.TemporaryDirectory() as folder:
        async with MemoryHost(folder, config=config, llm=complete) as memory:
            for message in messages:
                if message["role"] == "user":
                    await memory.message_received(session_key=_SESSION, text=message["content"])
                else:
                    await memory.message_sent(session_key=_SESSION, text=message["content"])
            summary = await memory.before_compaction(
                session_key=_SESSION, messages=messages, context_window=WINDOW, room=ROOM, reason="token_pressure"
            )
            assert summary is not None  # compaction is installed
            await memory.session_idle(session_key=_SESSION)  # waits for the reading, which is the silent turn
            await memory.flush_index()
            written = [*summary.text.splitlines(), *_notes(Path(folder))]
            stays = [message["content"] for message in messages[summary.keep_from :]]
            kept = 0
            for fact in facts:
                hits = (await memory.search(Query(fact.subject, limit=5))).hits
                kept += _holds([*written, *stays, *(hit.text for hit in hits)], fact)
    return Outcome(len(facts), sum(_holds(written, fact) for fact in facts), kept, seconds)


def _notes(workspace: Path) -> list[str]:
    return [line for file in workspace.glob("memory/*.md") for line in file.read_text(encoding="utf-8").splitlines()]


def _holds(texts: Sequence[str], fact: PlantedFact) -> bool:
    return any(fact.subject in text and fact.truth in text for text in texts)
