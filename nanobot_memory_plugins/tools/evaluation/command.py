"""``nanobot-memory eval``: measures recall on labelled data."""

import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.core.cli.console import console
from nanobot_memory_plugins.core.cli.options import ConfigOption, JsonOption, configuration_of, print_json, run
from nanobot_memory_plugins.core.cli.plain import say, say_notice
from nanobot_memory_plugins.core.config.models import MemoryConfig
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.values import Level
from nanobot_memory_plugins.redaction.script.messages import Sentence, join_sentences, tr
from nanobot_memory_plugins.tools.evaluation.dataset import Dataset, read_dataset
from nanobot_memory_plugins.tools.evaluation.evaluate import EvaluationOutcome, evaluate


def eval_(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET_DIR", help="A folder with docs.jsonl and queries.jsonl.")],
    target: Annotated[Path, typer.Option("--run", metavar="OUT.jsonl", help="The file to write, a line a question.")],
    no_embeddings: Annotated[
        bool, typer.Option("--no-embeddings", help="Search by words only, without a model.")
    ] = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remember the documents of a data set, recall for each of its questions, and write what was found.

    Each line of the run is a JSON object: query_id, ranked (ids, the best first) and injected (ids in the block).
    """
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise InputError(
            Sentence("{target} cannot be written.", target=target),
            hint="Name a file in a folder that exists with --run.",
        )
    data = read_dataset(dataset)
    undated = sum(document.ts is None for document in data.documents)
    if undated:
        say_notice(
            tr(
                "{undated:,} of {documents:,} documents have no time that can be read.",
                undated=undated,
                documents=len(data.documents),
            )
        )
    memory_config = configuration_of(config)
    started = time.perf_counter()
    outcome = _run_evaluation(data, memory_config, embeddings=not no_embeddings)
    target.write_text("".join(f"{line}\n" for line in outcome.lines), encoding="utf-8")
    seconds = time.perf_counter() - started
    status = outcome.status
    if status.level is Level.MARKDOWN or (not status.model and not no_embeddings):
        method = tr("Searched by words only:")
        if status.level is Level.MARKDOWN:
            method = tr("Searched by reading the files:")
        say_notice(join_sentences(method, status.reason, status.hint))
    if as_json:
        print_json(
            {
                "ok": True,
                "documents": len(data.documents),
                "queries": len(data.queries),
                "model": status.model or None,
                "seconds": round(seconds, 1),
            }
        )
    else:
        how = Sentence("with {model}", model=status.model) if status.model else Sentence("by words")
        say(
            tr(
                "{questions:,} questions over {documents:,} documents {how} in {seconds:.1f} s: {target}",
                questions=len(data.queries),
                documents=len(data.documents),
                how=how,
                seconds=seconds,
                target=target,
            )
        )


def _run_evaluation(data: Dataset, config: MemoryConfig, *, embeddings: bool) -> EvaluationOutcome:
    folder = tempfile.TemporaryDirectory(prefix="nanobot-memory-eval-", ignore_cleanup_errors=True)
    with console(stderr=True).status(tr("indexing and asking")), folder as workspace:
        return run(evaluate(data, Path(workspace), config, embeddings=embeddings))
