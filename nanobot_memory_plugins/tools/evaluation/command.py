"""``nanobot-memory eval``: what recall finds on labelled data."""

import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Annotated, Self

import typer
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

from nanobot_memory_plugins.core.cli.console import console
from nanobot_memory_plugins.core.cli.options import ConfigOption, JsonOption, print_json, read_configuration, run, warn
from nanobot_memory_plugins.core.cli.plain import say, say_note
from nanobot_memory_plugins.core.config import MemoryConfig
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.protocols import ModelReport
from nanobot_memory_plugins.core.values import Level, StoreStatus
from nanobot_memory_plugins.redaction.script.messages import Sentence, together, tr
from nanobot_memory_plugins.tools.evaluation.dataset import Dataset, read_dataset
from nanobot_memory_plugins.tools.evaluation.evaluate import EvaluationOutcome, EvaluationWatcher, evaluate

_DatasetArgument = Annotated[
    Path, typer.Argument(metavar="DATASET_DIR", help="A folder with docs.jsonl and queries.jsonl.")
]
_RunOption = Annotated[Path, typer.Option("--run", metavar="OUT.jsonl", help="The file to write, a line a question.")]
_NoEmbeddingsOption = Annotated[bool, typer.Option("--no-embeddings", help="Search by words only, without a model.")]
_WorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        "-w",
        metavar="DIR",
        help="Make memory and index here and keep them, in a new or empty folder. Else in a temporary one.",
        file_okay=False,
    ),
]


def eval_(
    dataset: _DatasetArgument,
    target: _RunOption,
    no_embeddings: _NoEmbeddingsOption = False,
    workspace: _WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remember the documents of a data set, recall for each of its questions, and write what was found.

    Each line of the run is {"query_id", "ranked": [ids, best first], "injected": [ids in the block]}.
    """
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise InputError(
            Sentence("{target} cannot be written.", target=target),
            hint="Name a file in a folder that exists with --run.",
        )
    data = read_dataset(dataset)
    undated = sum(document.ts is None for document in data.documents)
    if undated:
        say_note(
            tr(
                "{undated:,} of {documents:,} documents have no time that can be read.",
                undated=undated,
                documents=len(data.documents),
            )
        )
    memory_config, problems = read_configuration(config)
    warn(problems)
    started = time.perf_counter()
    outcome = _evaluated(data, workspace, memory_config, embeddings=not no_embeddings)
    target.write_text("".join(f"{line}\n" for line in outcome.lines), encoding="utf-8")
    seconds = time.perf_counter() - started
    status = outcome.status
    if status.level is Level.MARKDOWN or (not status.model and not no_embeddings):
        told = tr("Searched by words only:")
        if status.level is Level.MARKDOWN:
            told = tr("Searched by reading the files:")
        say_note(together(told, status.reason, status.hint))
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


def _evaluated(data: Dataset, workspace: Path | None, config: MemoryConfig, *, embeddings: bool) -> EvaluationOutcome:
    with _Bars() as bars:
        if workspace is not None:
            return run(evaluate(data, workspace, config, embeddings=embeddings, watcher=bars))
        with tempfile.TemporaryDirectory(prefix="nanobot-memory-eval-", ignore_cleanup_errors=True) as folder:
            return run(evaluate(data, Path(folder), config, embeddings=embeddings, watcher=bars))


class _Bars(EvaluationWatcher):
    """A progress bar a stage, on standard error."""

    def __init__(self) -> None:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
        )
        self._progress = Progress(*columns, console=console(stderr=True, wraps=True))
        self._stage: TaskID | None = None
        self._embedding: TaskID | None = None
        self._most_vectors = 1

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def begun(self, what: str, total: int) -> None:
        """Show a new bar."""
        self._stage = self._progress.add_task(tr(what), total=max(1, total))

    def advanced(self, steps: int = 1) -> None:
        """Move the latest bar on."""
        if self._stage is not None:
            self._progress.advance(self._stage, steps)

    def model(self, status: StoreStatus, report: ModelReport) -> None:
        """Show how far the model, or the vectors, are; nothing when there is no model."""
        if not (report.is_loading or report.model):
            return
        if self._embedding is None:
            self._embedding = self._progress.add_task(tr("embedding"))
        if report.is_loading:
            what = tr(report.activity) or tr("loading the embedding model")
            self._progress.update(self._embedding, description=what, total=1, completed=report.progress)
            return
        self._most_vectors = max(self._most_vectors, status.pending_vectors)
        done = self._most_vectors - status.pending_vectors
        self._progress.update(self._embedding, description=tr("embedding"), total=self._most_vectors, completed=done)
