"""What is left of a session after flush, summary and compaction, with a real small language model.

``python -m benchmarks forgetting [--sessions 40] [--skip 0] [--bench DIR]`` runs labelled conversations in both
languages, each through a new memory, and checks for every labelled question about the session whether its evidence is
still available: among the messages that compaction keeps, or among the first ten hits of a search. It compares plain
truncation, which keeps the last messages in the same number of tokens, and the same plugins without a language model.
Where answers are labelled, the share of them whose words are in the summary, notes and kept messages measures these
texts themselves. A session takes one to two minutes on two idle cores. It needs the group ``local-model``.
"""

import argparse
import asyncio
import json
import random
import re
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.local_model import LocalModelServer, client_of, local_model_file
from benchmarks.measure import quiet
from benchmarks.retrieval.datasets import BENCH, LEFT_OUT, LabelledDocument, Question, read_set
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Query
from nanobot_memory_plugins.core.protocols import Complete
from nanobot_memory_plugins.core.text.tokens import estimate_tokens

ENGLISH, CHINESE = "locomo_turns", "membank_zh"
WINDOW = 8_000
CONTEXT_TOKENS = 8_192
_SESSION = "benchmark:session"
_FIRST_HITS = 10
# The share of an answer's words that a text must contain to count as holding the answer.
_HELD = 0.5
_NO_HURRY = 1_800.0
_PAIR = re.compile(r"用户：(?P<user>.*?)\s*助手：(?P<assistant>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation as chat messages, the messages of each labelled document, and the questions about it."""

    name: str
    language: str
    messages: Sequence[Mapping[str, str]]
    parts: Mapping[str, Sequence[str]]
    questions: Sequence[Question]


@dataclass(frozen=True, slots=True)
class Remains:
    """What is left of one session. ``found`` is a share of the evidence, ``held`` of the answers."""

    found: Sequence[bool]
    held: Sequence[bool]
    summary_tokens: int = 0
    used_tokens: int = 0
    seconds: float = 0.0


def main(arguments: Sequence[str] = ()) -> None:
    """Print a table of what is found afterwards with the model, without it, and after plain truncation."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks forgetting", description=main.__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH, help="the folder of the sets (default: %(default)s)")
    parser.add_argument("--sessions", type=int, default=40, help="how many, half of each language")
    parser.add_argument("--skip", type=int, default=0, help="how many of them were done before, half of each language")
    options = parser.parse_args(arguments)
    if not (options.bench / ENGLISH / "queries.jsonl").exists():
        print(f"  the labelled sets are not at {options.bench}")
        return
    done = {session.name for session in choose_sessions(options.bench, options.skip)}
    sessions = [session for session in choose_sessions(options.bench, options.sessions) if session.name not in done]
    with quiet(), LocalModelServer(local_model_file(), context_tokens=CONTEXT_TOKENS) as server:
        rows: dict[str, list[tuple[Session, Remains]]] = {"with the model": [], "without it": [], "truncation": []}
        for session in sessions:
            ours, kept_tokens = asyncio.run(after_memory(session, client_of(server)))
            rules, _ = asyncio.run(after_memory(session, None))
            rows["with the model"].append((session, ours))
            rows["without it"].append((session, rules))
            rows["truncation"].append((session, after_truncation(session, kept_tokens)))
            print(
                f"  {session.name}: {len(session.messages)} messages, found {_share(ours.found)}, {ours.seconds:.0f} s",
                flush=True,
            )
    for language in ("english", "chinese"):
        print(f"  {language}: evidence found, answers held, tokens of the summary, tokens used, seconds")
        for label, results in rows.items():
            _print_row(label, [left for session, left in results if session.language == language])


def choose_sessions(bench: Path, count: int, seed: int = 1, skip: int = 0) -> list[Session]:
    """Return sessions that have questions, equally many of each language, the same every time.

    ``skip`` leaves out the first ones, so that a tuned figure is not measured on its own data.
    """
    found: list[Session] = []
    for name, language in ((ENGLISH, "english"), (CHINESE, "chinese")):
        labelled = read_set(bench / name)
        documents: dict[tuple[str, str], list[LabelledDocument]] = {}
        for document in labelled.documents:
            documents.setdefault((document.group, document.session), []).append(document)
        candidates = []
        for (group, key), own in documents.items():
            ids = {document.id for document in own}
            asked = [
                one
                for one in labelled.questions
                if one.group == group and one.category != LEFT_OUT and one.gold and set(one.gold) <= ids
            ]
            if asked and len(own) >= 4:
                candidates.append(_session(f"{group}/{key}", language, sorted(own, key=lambda one: one.order), asked))
        random.Random(seed).shuffle(candidates)
        found += candidates[skip // 2 : (skip + count) // 2]
    return found


def _session(name: str, language: str, documents: Sequence[LabelledDocument], questions: Sequence[Question]) -> Session:
    messages: list[dict[str, str]] = []
    parts: dict[str, list[str]] = {}
    first = documents[0].speaker
    for document in documents:
        pair = _PAIR.match(document.text)
        if pair:
            own = [("user", pair["user"]), ("assistant", pair["assistant"])]
        else:
            role = "user" if document.speaker == first else "assistant"
            own = [(role, f"{document.speaker}: {document.text}")]
        messages += [{"role": role, "content": text} for role, text in own]
        parts[document.id] = [text for _, text in own]
    return Session(name, language, messages, parts, questions)


async def after_memory(session: Session, complete: Complete | None) -> tuple[Remains, int]:
    """Return what is left after a session went through a memory, and the tokens that compaction leaves of it."""
    config = MemoryConfig.model_validate(
        {
            "core": {
                "message_limit": 60,
                "compaction_limit": _NO_HURRY,
                "idle_limit": _NO_HURRY,
                "language_model": {"timeout": _NO_HURRY, "purpose_timeouts": {}, "daily_tokens": 10_000_000},
            },
            "plugins": {"recall": {"recall_timeout": 30}},
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        async with MemoryHost(folder, config=config, llm=complete) as memory:
            for message in session.messages:
                if message["role"] == "user":
                    await memory.message_received(session_key=_SESSION, text=message["content"])
                else:
                    await memory.message_sent(session_key=_SESSION, text=message["content"])
            started = time.perf_counter()
            summary = await memory.before_compaction(
                session_key=_SESSION, messages=session.messages, context_window=WINDOW, reason="token_pressure"
            )
            await memory.session_idle(session_key=_SESSION, history=session.messages)
            seconds = time.perf_counter() - started
            await memory.flush_index()
            if summary is None:
                raise RuntimeError("no compaction plugin is installed")
            kept = [message["content"] for message in session.messages[summary.keep_from :]]
            found = []
            for question in session.questions:
                hits = (await memory.search(Query(question.text, limit=_FIRST_HITS))).hits
                texts = [*kept, *(hit.text for hit in hits)]
                found += [_is_among(session.parts[one], texts) for one in question.gold]
        notes, used = _written(Path(folder))
    text = "\n".join([summary.text, notes, *kept])
    held = [_holds(text, question.answer) for question in session.questions if question.answer]
    summary_tokens = estimate_tokens(summary.text)
    left = Remains(found, held, summary_tokens=summary_tokens, used_tokens=used, seconds=seconds)
    return left, summary_tokens + sum(map(estimate_tokens, kept))


def _written(workspace: Path) -> tuple[str, int]:
    """Return the text of the notes, and the tokens that the language model used."""
    notes = "\n".join(file.read_text(encoding="utf-8") for file in sorted(workspace.glob("memory/*.md")))
    lines = [
        line
        for file in workspace.glob("memory/.usage/*.jsonl")
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    return notes, sum(row["prompt_tokens"] + row["answer_tokens"] for row in map(json.loads, lines))


def after_truncation(session: Session, tokens: int) -> Remains:
    """Return what is left when only the last messages that fit ``tokens`` are kept."""
    kept: list[str] = []
    for message in reversed(session.messages):
        tokens -= estimate_tokens(message["content"])
        if tokens < 0:
            break
        kept.append(message["content"])
    gold = [one for question in session.questions for one in question.gold]
    held = [_holds("\n".join(kept), question.answer) for question in session.questions if question.answer]
    return Remains([_is_among(session.parts[one], kept) for one in gold], held)


def _is_among(parts: Sequence[str], texts: Sequence[str]) -> bool:
    return any(part.strip() and part.strip() in text for part in parts for text in texts)


def _holds(text: str, answer: str) -> bool:
    words = [word for word in re.findall(r"\w+", answer.casefold()) if len(word) > 2 or word.isdigit()]
    said = set(re.findall(r"\w+", text.casefold()))
    return bool(words) and sum(word in said for word in words) >= _HELD * len(words)


def _share(values: Sequence[bool]) -> str:
    return f"{sum(values) / len(values):.3f}" if values else "-"


def _print_row(label: str, results: Sequence[Remains]) -> None:
    if not results:
        return
    print(
        f"    {label:<16} {_share([one for left in results for one in left.found])}  "
        f"{_share([one for left in results for one in left.held])}  "
        f"{statistics.mean(left.summary_tokens for left in results):6.0f}  "
        f"{statistics.mean(left.used_tokens for left in results):7.0f}  "
        f"{statistics.median(left.seconds for left in results):6.1f}",
        flush=True,
    )
