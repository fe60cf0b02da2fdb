"""The command ``python -m benchmarks everyday_answers``: a small model answers everyday messages with a memory.

Each message comes without context, with the context of `MemoryHost`, or with only the needed messages. The score of an
answer is its share of the terms that it should use. A message that needs no memory should be answered as without one.
"""

import argparse
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from benchmarks.answers.asking import digest
from benchmarks.answers.record import RecordedAnswer, append_answer, read_answers_file
from benchmarks.answers.table import OURS, UPPER_BOUND, table
from benchmarks.lives import Life, MessageContext, Probe, evidence, read_lives, run_life
from benchmarks.local_model import LocalModelServer, local_model_file
from benchmarks.retrieval.datasets import SHARED
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.storage.segmentation import query_terms, segment

NOTHING = "none"
CONDITIONS = (NOTHING, OURS, UPPER_BOUND)
PROBES = 60
INSTRUCTION = (
    "You are the user's personal assistant. Notes of earlier conversations may stand beside the message: use those "
    "that matter for the answer, and name what you draw upon. Answer in the user's language, in at most two sentences."
)
MAXIMUM_ANSWER_TOKENS = 80
CONTEXT_TOKENS = 4_096


def main(arguments: Sequence[str] = ()) -> None:
    """Ask the remaining probes, save each answer as it comes, and print the table."""
    options = _options(arguments)
    if not options.lives.exists():
        print(f"  the lives are not at {options.lives}")
        return
    asked = sample(read_lives(options.lives), options.probes)
    given = read_answers_file(options.resume, INSTRUCTION_DIGEST)
    print(f"  answers are kept in {options.resume}; give it as --resume to go on after an interruption", flush=True)
    if any((probe.id, name) not in given for _, probe in asked for name in CONDITIONS):
        _answer(asked, options.resume, given)
    needing = {probe.id for _, probe in asked if probe.needs}
    print(table({key: one for key, one in given.items() if key[0] in needing}, CONDITIONS, "drawn"))
    quiet = [probe.id for _, probe in asked if not probe.needs]
    same = sum(given[probe, OURS].answer == given[probe, NOTHING].answer for probe in quiet)
    print(f"  of {len(quiet)} that need nothing, answered in the same words as without a memory: {same}")


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks everyday_answers", description=main.__doc__)
    fresh = Path(tempfile.gettempdir()) / f"nanobot-memory-everyday-{datetime.now():%Y%m%d-%H%M%S}.jsonl"
    parser.add_argument("--lives", type=Path, default=SHARED / "everyday" / "dev.jsonl", help="(default: %(default)s)")
    parser.add_argument("--probes", type=int, default=PROBES, help="how many (default: %(default)s)")
    parser.add_argument("--resume", type=Path, default=fresh, help="the file of the answers; made if missing")
    options = parser.parse_args(arguments)
    if options.probes < 1:
        parser.error("--probes must be at least 1")
    return options


def sample(lives: Sequence[Life], count: int) -> list[tuple[Life, Probe]]:
    """Return ``count`` probes with their lives, one of each life and kind in turn, the same every time."""
    cells: dict[tuple[str, str], list[tuple[Life, Probe]]] = {}
    for life in lives:
        for probe in life.probes:
            cells.setdefault((probe.kind, life.persona), []).append((life, probe))
    rows = [cells[cell] for cell in sorted(cells)]
    turns = max(map(len, rows), default=0)
    return [row[turn] for turn in range(turns) for row in rows if turn < len(row)][:count]


def prompt(beside: MessageContext, probe: Probe) -> list[dict[str, str]]:
    """Return the messages for the model, with the memory's context in the same place as in nanobot."""
    system = f"{INSTRUCTION}\n\n{beside.entries}" if beside.entries else INSTRUCTION
    text = f"{beside.block}\n\n{probe.text}" if beside.block else probe.text
    return [
        {"role": "system", "content": system},
        *(said.as_history() for said in probe.history if said.tool is None),
        {"role": "user", "content": text},
    ]


INSTRUCTION_DIGEST = digest(prompt(MessageContext(), Probe(id="", text="", kind="", day="")))


def drawn_upon(answer: str, telling: Sequence[str]) -> float:
    """Return the share of the terms of ``telling`` in the answer, from 0 to 1, with the terms of a search."""
    wanted = set(query_terms(" ".join(telling))) if telling else set()
    return len(wanted & set(segment(answer).split())) / max(1, len(wanted))


def _answer(asked: Sequence[tuple[Life, Probe]], file: Path, given: dict[tuple[str, str], RecordedAnswer]) -> None:
    model = local_model_file()
    ours = _ours(asked)
    prompts: dict[str, Mapping[str, MessageContext]] = {
        probe.id: {NOTHING: MessageContext(), OURS: ours[probe.id], UPPER_BOUND: evidence(life, probe)}
        for life, probe in asked
    }
    with LocalModelServer(model, context_tokens=CONTEXT_TOKENS) as server:
        for life, probe in asked:
            expected = [part for _, said in life.needed(probe) for part in said.telling]
            answered: dict[MessageContext, tuple[str, float]] = {}
            for name in CONDITIONS:
                beside = prompts[probe.id][name]
                if (probe.id, name) in given:
                    continue
                if beside not in answered:  # an equal prompt has the same answer
                    started = time.perf_counter()
                    text = server.ask(prompt(beside, probe), max_tokens=MAXIMUM_ANSWER_TOKENS).strip()
                    answered[beside] = text, time.perf_counter() - started
                text, took = answered[beside]
                record = RecordedAnswer(
                    question=probe.id,
                    condition=name,
                    instruction=INSTRUCTION_DIGEST,
                    tokens=estimate_tokens(f"{beside.entries}{beside.block}"),
                    answer=text,
                    expected=" / ".join(expected),
                    score=drawn_upon(text, expected),
                    seconds=round(took, 2),
                )
                append_answer(file, record)
                given[probe.id, name] = record


def _ours(asked: Sequence[tuple[Life, Probe]]) -> dict[str, MessageContext]:
    beside: dict[str, MessageContext] = {}
    for persona in dict.fromkeys(life.persona for life, _ in asked):
        (life, *_), probes = zip(*[one for one in asked if one[0].persona == persona], strict=True)
        beside |= run_life(life, probes)
    return beside
