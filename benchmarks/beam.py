"""BEAM end to end: a reader answers from the context of each system, and a judge scores the answers.

``python -m benchmarks beam --beam DIR --reader URL --reader-model NAME`` takes a clone of the benchmark's repository
(github.com/mohammadtavakoli78/BEAM, chats of 100K tokens), any server with OpenAI's chat completions as reader and
judge, and the benchmark's own prompts. Each item of a question's rubric is judged separately with 1, .5 or 0, and the
question's score is their mean. Answers and scores are written as they come: ``--resume`` continues a run, and
``--budget`` ends it after that many tokens.
"""

import argparse
import ast
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from json_repair import repair_json
from pydantic import BaseModel, ConfigDict, ValidationError

from benchmarks.answers.blocks import block_of_size, our_blocks
from benchmarks.answers.record import append_answer
from benchmarks.answers.scoring import mean_interval
from benchmarks.local_model import LocalModelServer, local_model_file
from benchmarks.retrieval.baselines import fts5
from benchmarks.retrieval.datasets import LabelledDocument, LabelledSet, Question
from nanobot_memory_plugins.core.text.tokens import estimate_tokens

CONDITIONS = ("none", "plain", "everything", "ours")
"""No memory; BM25 over pieces, filled to as many tokens as ours may take; the newest that fits the window; ours."""

BLOCK_TOKENS = 800
PIECE_CHARS = 700
ANSWER_TOKENS, VERDICT_TOKENS = 600, 300
_ORDER_MARK = re.compile(r"\s*->->[^\n]*$")
_READER_PROMPT, _JUDGE_PROMPT = "answer_generation_for_rag", "unified_llm_judge_base_prompt"
_SECONDS = 600.0

Ask = Callable[[str, int], str]


class JudgedAnswer(BaseModel):
    """One answer with the scores of its rubric's items, and the tokens of its context."""

    model_config = ConfigDict(frozen=True)

    question: str
    condition: str
    category: str
    answer: str
    scores: tuple[float, ...]
    tokens: int

    @property
    def score(self) -> float:
        """The mean of the rubric's items, 0..1."""
        return sum(self.scores) / len(self.scores)


@dataclass(frozen=True)
class Chat:
    """One chat of the benchmark: its messages in pieces, its questions, and their rubrics by id."""

    labelled: LabelledSet
    rubrics: Mapping[str, tuple[str, ...]]


def read_chat(beam: Path, number: int, size: str = "100K") -> Chat:
    """Read one chat of a clone. Raises OSError if it is missing, and ValueError if its format is unknown."""
    folder, name = beam / "chats" / size / str(number), f"beam-{size}-{number}"
    batches = json.loads((folder / "chat.json").read_text(encoding="utf-8"))
    documents = tuple(_pieces(batches, name))
    if not documents:
        raise ValueError(f"{folder / 'chat.json'} holds no messages")
    asked = documents[-1].ts.isoformat() if documents[-1].ts else None
    questions, rubrics = [], {}
    for category, listed in json.loads((folder / "probing_questions" / "probing_questions.json").read_text()).items():
        for place, one in enumerate(listed):
            identifier = f"{name}/{category}{place}"
            questions.append(
                Question(id=identifier, group=name, text=one["question"], category=category, gold=(), ts=asked)
            )
            rubrics[identifier] = tuple(one["rubric"])
    return Chat(LabelledSet(folder, documents, tuple(questions)), rubrics)


def _pieces(batches: Sequence[Mapping[str, Any]], name: str) -> Iterator[LabelledDocument]:
    """Yield messages in pieces of at most 700 characters, each with the last time that was named before it."""
    moment: datetime | None = None
    order = 0
    for batch in batches:
        for message in (message for turn in batch["turns"] for message in turn):
            if anchor := message.get("time_anchor"):
                moment = datetime.strptime(anchor, "%B-%d-%Y").replace(tzinfo=UTC)
            text = _ORDER_MARK.sub("", message["content"]).strip()
            for start in range(0, len(text), PIECE_CHARS):
                yield LabelledDocument(
                    id=f"{name}/{message['id']}.{start}",
                    group=name,
                    session=f"{name}:{batch['batch_number']}",
                    order=order,
                    ts=moment,
                    role=message["role"],
                    text=text[start : start + PIECE_CHARS],
                )
                order += 1


def contexts(chat: Chat, conditions: Sequence[str], window: int) -> dict[str, dict[str, str]]:
    """Return the context of each question by condition, cut to a ``window`` of tokens."""
    labelled = chat.labelled
    documents = {one.id: one for one in labelled.documents}
    made: dict[str, dict[str, str]] = {"none": {one.id: "" for one in labelled.questions}}
    if "plain" in conditions:
        made["plain"] = {one.query_id: block_of_size(one.ranked, documents, BLOCK_TOKENS) for one in fts5(labelled)}
    if "everything" in conditions:
        newest = block_of_size([one.id for one in reversed(labelled.documents)], documents, window)
        whole = "\n".join(reversed(newest.splitlines()))
        made["everything"] = {one.id: whole for one in labelled.questions}
    if "ours" in conditions:
        made["ours"] = our_blocks(labelled, labelled.questions)
    return {name: made[name] for name in conditions}


def prompts(beam: Path) -> dict[str, str]:
    """Return the benchmark's own prompts for reader and judge, without running its code. Raises KeyError."""
    tree = ast.parse((beam / "src" / "prompts.py").read_text(encoding="utf-8"))
    texts = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return {name: texts[name] for name in (_READER_PROMPT, _JUDGE_PROMPT)}


def fill_prompt(prompt: str, values: Mapping[str, str]) -> str:
    """Return a prompt with ``<name>`` replaced. Replaced values are not searched again."""
    return re.sub(r"<(\w+)>", lambda found: values.get(found[1], found[0]), prompt)


def verdict(text: str) -> float:
    """Return the score in a judge's answer, from 0 to 1. An answer without a score counts as 0."""
    read = repair_json(text[text.find("{") :], return_objects=True) if "{" in text else {}
    value = read.get("score") if isinstance(read, dict) else None
    try:
        return min(1.0, max(0.0, float(value)))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return 0.0


class Endpoint:
    """A server with OpenAI's chat completions. ``used`` counts the sent and received tokens."""

    def __init__(self, url: str, model: str, key: str = "") -> None:
        self.used = 0
        self._model = model
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(base_url=url.rstrip("/") + "/", headers=headers, timeout=_SECONDS)

    def ask(self, prompt: str, most: int) -> str:
        """Return the answer to a prompt of one message. Raises `httpx.HTTPError`."""
        request = {"model": self._model, "temperature": 0, "max_tokens": most}
        answer = self._client.post(
            "chat/completions", json=request | {"messages": [{"role": "user", "content": prompt}]}
        )
        answer.raise_for_status()
        body = answer.json()
        text = str(body["choices"][0]["message"]["content"] or "").strip()
        usage = body.get("usage") or {}
        self.used += int(usage.get("total_tokens") or estimate_tokens(prompt) + estimate_tokens(text))
        return text


def judge_question(
    chat: Chat, question: Question, condition: str, context: str, texts: Mapping[str, str], reader: Ask, judge: Ask
) -> JudgedAnswer:
    """Have the reader answer a question from one context, and the judge score it by each item of its rubric."""
    answer = reader(fill_prompt(texts[_READER_PROMPT], {"context": context, "question": question.text}), ANSWER_TOKENS)
    scores = tuple(
        verdict(
            judge(
                fill_prompt(
                    texts[_JUDGE_PROMPT],
                    {"question": question.text, "rubric_item": item, "llm_response": answer},
                ),
                VERDICT_TOKENS,
            )
        )
        for item in chat.rubrics[question.id]
    )
    return JudgedAnswer(
        question=question.id,
        condition=condition,
        category=question.category,
        answer=answer,
        scores=scores,
        tokens=estimate_tokens(context),
    )


def read_judged(file: Path) -> dict[tuple[str, str], JudgedAnswer]:
    """Return the answers in a file by question and condition. Incomplete lines are left out."""
    found: dict[tuple[str, str], JudgedAnswer] = {}
    for line in file.read_bytes().splitlines() if file.exists() else ():
        try:
            one = JudgedAnswer.model_validate_json(line)
        except ValidationError:
            continue
        found[one.question, one.condition] = one
    return found


def table(judged: Mapping[tuple[str, str], JudgedAnswer], conditions: Sequence[str]) -> str:
    """Return a row per condition over the questions judged under all of them, then one per category."""
    names = [one for one in dict.fromkeys(q for q, _ in judged) if all((one, name) in judged for name in conditions)]
    if not names:
        return "  no question is judged under every condition yet"
    lines = [f"  {len(names)} questions", f"  {'':12}{'score':>7}{'95 %':>16}{'tokens a question':>20}"]
    for name in conditions:
        interval = mean_interval([judged[one, name].score for one in names])
        tokens = sum(judged[one, name].tokens for one in names) / len(names)
        span = f"{interval.low:.3f} to {interval.high:.3f}"
        lines.append(f"  {name:12}{interval.mean:7.3f}{span:>16}{tokens:20.0f}")
    for category in sorted({judged[one, conditions[0]].category for one in names}):
        own = [one for one in names if judged[one, conditions[0]].category == category]
        means = ", ".join(f"{name} {sum(judged[o, name].score for o in own) / len(own):.2f}" for name in conditions)
        lines.append(f"  {category} ({len(own)}): {means}")
    return "\n".join(lines)


def main(arguments: Sequence[str] = ()) -> int:
    """Judge the remaining questions, save each result as it comes, and print the table."""
    options = _options(arguments)
    try:
        texts = prompts(options.beam)
        chats = [read_chat(options.beam, number) for number in options.chats]
    except (OSError, KeyError, ValueError) as error:
        print(f"  {options.beam} is no clone of BEAM with these chats: {error!r}")
        return 2
    judged = read_judged(options.resume)
    print(f"  answers are kept in {options.resume}; give it as --resume to go on", flush=True)
    with ExitStack() as stack:
        if options.local_model:
            server = stack.enter_context(LocalModelServer(local_model_file()))
            reader = judge = Endpoint(server.base_url, server.model_name)
        else:
            key = os.environ.get("OPENAI_API_KEY", "")
            reader = Endpoint(options.reader, options.reader_model, key)
            judge = Endpoint(options.judge or options.reader, options.judge_model or options.reader_model, key)
        for chat in chats:
            wanted = replace(chat.labelled, questions=chat.labelled.questions[: options.questions])
            if all((one.id, name) in judged for one in wanted.questions for name in options.conditions):
                continue
            beside = contexts(replace(chat, labelled=wanted), options.conditions, options.window)
            for question in wanted.questions:
                for name in options.conditions:
                    if (question.id, name) in judged:
                        continue
                    if reader.used + (judge.used if judge is not reader else 0) >= options.budget:
                        print(f"  the budget of {options.budget} tokens is used up")
                        print(table(judged, options.conditions))
                        return 0
                    context = beside[name][question.id]
                    one = judge_question(chat, question, name, context, texts, reader.ask, judge.ask)
                    append_answer(options.resume, one)
                    judged[one.question, one.condition] = one
    print(table(judged, options.conditions))
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks beam", description=main.__doc__)
    fresh = Path(tempfile.gettempdir()) / f"nanobot-memory-beam-{datetime.now():%Y%m%d-%H%M%S}.jsonl"
    names = lambda text: tuple(text.split(","))  # noqa: E731
    parser.add_argument("--beam", type=Path, required=True, help="a clone of the benchmark's repository")
    parser.add_argument("--chats", type=lambda text: [int(one) for one in text.split(",")], default=[1, 2, 3, 4, 5])
    parser.add_argument("--questions", type=int, default=20, help="of each chat (default: all 20)")
    parser.add_argument("--conditions", type=names, default=CONDITIONS, help=f"of {', '.join(CONDITIONS)}")
    parser.add_argument("--reader", default="", help="address of the reader's server, up to and with /v1")
    parser.add_argument("--reader-model", default="")
    parser.add_argument("--judge", default="", help="the judge's, where it is another")
    parser.add_argument("--judge-model", default="")
    parser.add_argument("--local-model", action="store_true", help="reader and judge are the model on this machine")
    parser.add_argument("--window", type=int, default=100_000, help="tokens that everything is cut to")
    parser.add_argument("--budget", type=int, default=10_000_000, help="tokens after which the run ends")
    parser.add_argument("--resume", type=Path, default=fresh, help="the file of the answers; made if missing")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.conditions) - set(CONDITIONS)):
        parser.error(f"unknown condition {', '.join(unknown)}; known are {', '.join(CONDITIONS)}")
    if not options.local_model and not (options.reader and options.reader_model):
        parser.error("name a reader with --reader and --reader-model, or take --local-model")
    return options
