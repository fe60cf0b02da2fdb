"""What a real small language model extracts: valid, true and new facts, and facts that are no longer true.

``python -m benchmarks extraction [--sessions 30] [--skip 0] [--again 6] [--pairs 60] [--bench DIR]
[--conversations FILE] [--answers FILE] [--show]`` gives a memory labelled conversations in both languages, or those of
a file, session by session, and checks the model's answers and the resulting entries. A fact counts as grounded when a
turn of its session contains half of its words, or is close to it in meaning. The sessions are repeated: under the same
key, which must cost nothing, and some under another key, which must add no second entry of the same fact. Then come the
pairs of ``tests/data/contradictions.tsv`` and ``more_contradictions.tsv``, where the user's message must replace a
known entry, and those of ``no_contradictions.tsv``, where the entry must stay. It needs the group ``local-model``.
"""

import argparse
import asyncio
import json
import re
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import json_repair

from benchmarks.forgetting import Session, choose_sessions
from benchmarks.kept_answers import KeptAnswers
from benchmarks.local_model import LocalModelServer, client_of, local_model_file
from benchmarks.measure import quiet
from benchmarks.retrieval.datasets import BENCH
from nanobot_memory_plugins.consolidation.model.entry import Category
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.protocols import Complete
from nanobot_memory_plugins.core.text.evidence import Evidence, terms, without_reasoning
from nanobot_memory_plugins.core.values.entries import Entry
from nanobot_memory_plugins.storage.embedding.service import open_embedder
from nanobot_memory_plugins.storage.options import EmbeddingOptions

DATA = Path(__file__).parents[1] / "tests" / "data"
PAIRS, MORE_PAIRS, NO_PAIRS = (
    DATA / f"{name}.tsv" for name in ("contradictions", "more_contradictions", "no_contradictions")
)
PURPOSE = "extraction"
_NO_HURRY = 1_800.0
_CONTEXT_TOKENS = 12_288
# The share of a fact's words that one turn must contain, or else the least cosine to a turn.
_GROUNDED_WORDS = 0.5
_GROUNDED_COSINE = 0.6
_NAME = re.compile(r"^[A-Z]\w+: ")


@dataclass(slots=True)
class Answers:
    """The model's answers to requests of one purpose, with their times."""

    model: Complete
    texts: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    async def complete(self, messages: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
        """Call the model, and record its answer."""
        started = time.perf_counter()
        text = str(await self.model(messages, max_tokens=max_tokens, purpose=purpose))
        if purpose == PURPOSE:
            self.texts.append(text)
            self.seconds.append(time.perf_counter() - started)
        return text


def main(arguments: Sequence[str] = ()) -> None:
    """Print the shares, for the sessions and for the pairs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks extraction", description=main.__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH, help="the folder of the sets (default: %(default)s)")
    parser.add_argument("--sessions", type=int, default=30, help="how many, half of each language")
    parser.add_argument("--skip", type=int, default=0, help="how many of those that come first are left out")
    parser.add_argument("--again", type=int, default=6, help="how many of them are told under another key as well")
    parser.add_argument("--pairs", type=int, default=60, help="how many pairs of each file, at most")
    parser.add_argument("--conversations", type=Path, help="a file of other sessions, instead of those of the sets")
    parser.add_argument("--answers", type=Path, help="a file in which the answers about sessions are kept")
    parser.add_argument("--show", action="store_true", help="print the entries as well")
    options = parser.parse_args(arguments)
    with quiet(), LocalModelServer(local_model_file(), context_tokens=_CONTEXT_TOKENS) as server:
        model = KeptAnswers(options.answers, client_of(server)).complete if options.answers else client_of(server)
        if options.conversations:
            sessions = read_conversations(options.conversations)
            asyncio.run(_print_sessions(sessions, options.again, model, show=options.show))
        elif options.sessions and not (options.bench / "locomo_turns" / "queries.jsonl").exists():
            print(f"  the labelled sets are not at {options.bench}")
        elif options.sessions:
            sessions = choose_sessions(options.bench, options.sessions, skip=options.skip)
            asyncio.run(_print_sessions(sessions, options.again, model, show=options.show))
        if options.pairs:
            for file in (PAIRS, MORE_PAIRS, NO_PAIRS):
                print(f"  {file.name}:", flush=True)
                asyncio.run(print_pairs(read_pairs(file, options.pairs), client_of(server)))


def read_conversations(file: Path) -> list[Session]:
    """Return the sessions of a file with a JSON object of ``name``, ``language`` and ``messages`` per line."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [Session(row["name"], row["language"], row["messages"], {}, ()) for row in rows]


async def _print_sessions(sessions: Sequence[Session], again: int, model: Complete, *, show: bool = False) -> None:
    answers = Answers(model)
    encode = open_embedder(EmbeddingOptions()).encode
    grounded: list[bool] = []
    told_twice: list[int] = []
    for number, session in enumerate(sessions, start=1):
        with tempfile.TemporaryDirectory() as folder:
            first = await run_session(session, Path(folder), answers, "one")
            calls = len(answers.texts)
            same = await run_session(session, Path(folder), answers, "one")
            if len(answers.texts) != calls or same.keys() != first.keys():
                print(f"  {session.name}: told twice under one key, and learned from twice")
            sure = {one.content: is_grounded(one.content, session, encode) for one in first.values()}
            grounded += sure.values()
            if show:
                print(*(f"    {'+' if is_sure else '-'} {text}" for text, is_sure in sure.items()), sep="\n")
            if len(told_twice) < again:
                both = await run_session(session, Path(folder), answers, "two")
                told_twice.append(near_duplicates(list(both.values())))
        seconds = answers.seconds[-1] if answers.seconds else 0
        parsed = sum(rows_of(text) is not None for text in answers.texts)
        print(
            f"  {number} {session.name}: {len(first)} entries, {seconds:.0f} s; so far grounded {sum(grounded)} of"
            f" {len(grounded)}, parsed {parsed} of {len(answers.texts)}, {sum(told_twice)} near-duplicates",
            flush=True,
        )
    # In an answer that was cut off, the last object has none.
    rows = [row for text in answers.texts for row in rows_of(text) or [] if "category" in row]
    valid = sum(str(row.get("category", "")).strip().lower() in set(Category) for row in rows)
    parsed = sum(rows_of(text) is not None for text in answers.texts)
    print(f"  answers that parse after repair: {parsed} of {len(answers.texts)}")
    print(f"  categories as the model writes them: {valid} of {len(rows)} valid; those of entries are, by construction")
    print(f"  entries grounded in a turn: {sum(grounded)} of {len(grounded)}")
    print(f"  near-duplicates after {len(told_twice)} sessions were told under another key: {sum(told_twice)}")
    print(f"  median seconds of an answer: {statistics.median(answers.seconds):.1f}")


async def run_session(session: Session, workspace: Path, answers: Answers, key: str) -> dict[str, Entry]:
    """Run a session to its end in a workspace, and return all entries.

    The names before the messages are left out, since a message with names would count as a pasted conversation.
    """
    history = [{**message, "content": _NAME.sub("", message["content"])} for message in session.messages]
    async with MemoryHost(workspace, config=_config(), llm=answers.complete) as memory:
        await memory.session_idle(session_key=f"benchmark:{key}", history=history, ended=True)
    return _entries(workspace)


async def print_pairs(pairs: Sequence[tuple[str, str, str]], model: Complete) -> None:
    """Print how many of the known entries are replaced, by language."""
    seen: dict[str, list[bool]] = {}
    for language, known, said in pairs:
        seen.setdefault(language, []).append(await is_seen(language, known, said, model))
    for language, found in seen.items():
        print(f"    replaced, {language}: {sum(found)} of {len(found)}", flush=True)


async def is_seen(language: str, known: str, said: str, model: Complete) -> bool:
    """Return whether an entry is replaced or rewritten after the user's new message."""
    reply = "好的，记住了。" if language == "zh" else "Thanks, I will keep that in mind."
    history = [{"role": "user", "content": said}, {"role": "assistant", "content": reply}]
    with tempfile.TemporaryDirectory() as folder:
        before = remember(EntryRepository(folder), NewEntry(known), who="benchmark").entry
        async with MemoryHost(folder, config=_config(), llm=model) as host:
            await host.session_idle(session_key="benchmark:pair", history=history, ended=True)
        after = _entries(Path(folder)).get(before.id)
    return after is not None and bool(after.superseded_by)


def read_pairs(file: Path, count: int) -> list[tuple[str, str, str]]:
    """Return pairs as (language, known fact, the user's message), half of each language."""
    rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    pairs = [(language, known, said) for language, known, said in rows]
    return [pair for wanted in ("en", "zh") for pair in [one for one in pairs if one[0] == wanted][: count // 2]]


def rows_of(answer: str) -> list[dict[str, Any]] | None:
    """Return the rows of an answer after repair, or None when it is no list of rows."""
    text = without_reasoning(answer)
    start = min((place for mark in "[{" if (place := text.find(mark)) >= 0), default=-1)
    value = json_repair.loads(text[start:]) if start >= 0 else None
    rows = [value] if isinstance(value, dict) else value
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else None


def is_grounded(content: str, session: Session, encode: Any) -> bool:
    """Return whether a turn of the session contains half of a fact's words, or is close to it in meaning."""
    turns = [str(message["content"]) for message in session.messages]
    if any(Evidence([turn]).share(content) >= _GROUNDED_WORDS for turn in turns):
        return True
    fact, *others = encode([content, *turns])
    return any(sum(a * b for a, b in zip(fact, other, strict=True)) >= _GROUNDED_COSINE for other in others)


def near_duplicates(entries: Sequence[Entry]) -> int:
    """Return how many entries have the words of an earlier one."""
    return len(entries) - len({frozenset(terms(entry.content)) for entry in entries})


def _config() -> MemoryConfig:
    return MemoryConfig.model_validate(
        {
            "core": {
                "idle_limit": _NO_HURRY,
                "language_model": {"timeout": _NO_HURRY, "purpose_timeouts": {}, "daily_tokens": 10_000_000},
            },
            "plugins": {
                "summary": {"enabled": False},
                "flush": {"enabled": False},
                # The small model cannot quote, which the memory would otherwise have to learn in each new folder.
                "consolidation": {"extraction_quotes": "never"},
            },
        }
    )


def _entries(workspace: Path) -> dict[str, Entry]:
    return EntryRepository(workspace).load().entries
