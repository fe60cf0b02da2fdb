"""The command ``python -m benchmarks answers``: a small model answers from what each system injects."""

import argparse
import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from benchmarks.answers.asking import CONTEXT_TOKENS, INSTRUCTION_DIGEST, ask
from benchmarks.answers.blocks import block_of_size, evidence, our_blocks
from benchmarks.answers.record import RecordedAnswer, append_answer, read_answers_file
from benchmarks.answers.sample import chosen
from benchmarks.answers.scoring import token_f1
from benchmarks.answers.table import OURS, UPPER_BOUND, table
from benchmarks.local_model import LocalModelServer, local_model_file
from benchmarks.retrieval.baselines import fts5
from benchmarks.retrieval.command import run_peer_on
from benchmarks.retrieval.datasets import BENCH, LabelledSet, Question, read_set
from benchmarks.retrieval.peers import PeerFailedError, peer_names
from nanobot_memory_plugins.core.errors import NanobotMemoryError
from nanobot_memory_plugins.core.text.tokens import estimate_tokens

NOTHING = "none"
FULL_TEXT = "fts5"
CONDITIONS = (NOTHING, FULL_TEXT, "txtai", "lancedb", OURS, UPPER_BOUND)
QUESTIONS = 300
SET = "locomo_turns"

# Measured on two idle cores: the prompt's reading, and the instruction, question and answer without the block.
_SECONDS_A_TOKEN = 0.01
_SECONDS_BESIDE = 1.5

Blocks = Mapping[str, Mapping[str, str]]


def main(arguments: Sequence[str] = ()) -> None:
    """Ask the remaining questions, save each answer as it comes, and print the table."""
    options = _options(arguments)
    if not (options.bench / SET / "queries.jsonl").exists():
        print(f"  the labelled set is not at {options.bench / SET}")
        return
    labelled = read_set(options.bench / SET)
    questions = chosen(labelled.questions, options.questions)
    given = read_answers_file(options.resume, INSTRUCTION_DIGEST)
    print(f"  answers are kept in {options.resume}; give it as --resume to go on after an interruption", flush=True)
    try:
        if any((question.id, name) not in given for question in questions for name in options.conditions):
            _answer(labelled, questions, options, given)
    except (NanobotMemoryError, PeerFailedError) as error:
        print(f"  {error}")
        return
    asked = {question.id for question in questions}
    print(table({key: answer for key, answer in given.items() if key[0] in asked}, options.conditions))


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks answers", description=main.__doc__)
    known = (NOTHING, FULL_TEXT, *peer_names(), OURS, UPPER_BOUND)
    fresh = Path(tempfile.gettempdir()) / f"nanobot-memory-answers-{datetime.now():%Y%m%d-%H%M%S}.jsonl"
    parser.add_argument("--bench", type=Path, default=BENCH, help="the folder of the sets (default: %(default)s)")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="how many (default: %(default)s)")
    parser.add_argument(
        "--conditions",
        type=lambda text: tuple(name.strip() for name in text.split(",")),
        default=CONDITIONS,
        help=f"joined by commas, of: {', '.join(known)} (default: {','.join(CONDITIONS)})",
    )
    parser.add_argument("--resume", type=Path, default=fresh, help="the file of the answers; made if missing")
    parser.add_argument("--runs", type=Path, help="runs that `retrieval --runs` kept; without it the peers run now")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.conditions) - set(known)):
        parser.error(f"there is no condition {', '.join(unknown)}; there are {', '.join(known)}")
    if options.questions < 1:
        parser.error("--questions must be at least 1")
    return options


def _answer(
    labelled: LabelledSet,
    questions: Sequence[Question],
    options: argparse.Namespace,
    given: dict[tuple[str, str], RecordedAnswer],
) -> None:
    model = local_model_file()
    blocks = make_blocks(labelled, questions, options.conditions, options.runs)
    waiting = [
        (question, name, blocks[name][question.id])
        for question in questions
        for name in options.conditions
        if (question.id, name) not in given
    ]
    seconds = sum(_SECONDS_BESIDE + _SECONDS_A_TOKEN * estimate_tokens(block) for _, _, block in waiting)
    print(f"  {len(waiting)} answers to make, about {seconds / 60:.0f} minutes on two idle cores", flush=True)
    answered: dict[tuple[str, str], tuple[str, float]] = {}
    with LocalModelServer(model, context_tokens=CONTEXT_TOKENS) as server:
        for done, (question, name, block) in enumerate(waiting, start=1):
            if (question.id, block) not in answered:  # two systems may inject the same context
                started = time.perf_counter()
                answer = ask(server, block, question.text)
                answered[question.id, block] = (answer, time.perf_counter() - started)
            answer, took = answered[question.id, block]
            record = RecordedAnswer(
                question=question.id,
                condition=name,
                instruction=INSTRUCTION_DIGEST,
                tokens=estimate_tokens(block),
                answer=answer,
                expected=question.answer,
                score=token_f1(answer, question.answer),
                seconds=round(took, 2),
            )
            append_answer(options.resume, record)
            given[record.question, record.condition] = record
            if done % 50 == 0:
                print(f"  {done} of {len(waiting)}", flush=True)


def make_blocks(
    labelled: LabelledSet, questions: Sequence[Question], conditions: Sequence[str], runs: Path | None
) -> Blocks:
    """Return each condition's context for each question. Searches get as many tokens as our block takes.

    Raises `PeerFailedError` when a requested peer fails.
    """
    documents = {document.id: document for document in labelled.documents}
    ours = our_blocks(labelled, questions)
    sizes = {identifier: estimate_tokens(block) for identifier, block in ours.items()}
    blocks: dict[str, Mapping[str, str]] = {
        OURS: ours,
        NOTHING: dict.fromkeys(ours, ""),
        UPPER_BOUND: {question.id: evidence(question, documents) for question in questions},
    }
    for name in set(conditions) - set(blocks):
        if name == FULL_TEXT:
            ranked = {answer.query_id: answer.ranked for answer in fts5(labelled)}
        else:
            ranked = _ranked_by_peer(labelled, name, runs)
        blocks[name] = {
            identifier: block_of_size(ranked.get(identifier, ()), documents, size) for identifier, size in sizes.items()
        }
    return blocks


def _ranked_by_peer(labelled: LabelledSet, name: str, runs: Path | None) -> dict[str, Sequence[str]]:
    kept = None if runs is None else runs / labelled.name / f"{name}.jsonl"
    if kept is not None and kept.exists():
        lines = kept.read_text(encoding="utf-8").splitlines()
    else:
        with tempfile.TemporaryDirectory() as folder:
            lines = run_peer_on(labelled, name, Path(folder)).file.read_text(encoding="utf-8").splitlines()
    rows = (json.loads(line) for line in lines)
    return {row["query_id"]: row["ranked"] for row in rows}
