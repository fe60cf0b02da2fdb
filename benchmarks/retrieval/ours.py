"""Our own recall on a labelled set, as measured by ``nanobot-memory eval``, on the path of a real message."""

import asyncio
import json
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nanobot_memory_plugins.core import MemoryConfig
from nanobot_memory_plugins.tools.evaluation.dataset import read_dataset
from nanobot_memory_plugins.tools.evaluation.evaluate import evaluate
from tests.support.postgres_server import OwnServer

_COMMAND = (sys.executable, "-m", "nanobot_memory_plugins.core.cli", "eval")

# Without neighbours, sessions, speakers and all other learned features.
_PLAIN = {"memoryPlugins": {"storage": {"fusion": "weighted"}}}


class EvaluationFailedError(Exception):
    """The command ended with an error; the text is its output."""


def run_ours(folder: Path, target: Path, *, no_embeddings: bool, plain: bool = False) -> None:
    """Ask every question of a set in its own group with the default options, and write the run to ``target``.

    ``plain`` ranks hits only by the weighted sum of words and meaning. Raises `EvaluationFailedError` when the command
    fails.
    """
    with tempfile.TemporaryDirectory() as temporary:
        # An empty configuration, so that the user's own has no effect.
        configuration = Path(temporary) / "config.json"
        configuration.write_text(json.dumps(_PLAIN if plain else {}), encoding="utf-8")
        command = [*_COMMAND, str(folder.absolute()), "--run", str(target), "--config", str(configuration)]
        if no_embeddings:
            command.append("--no-embeddings")
        done = subprocess.run(command, cwd=temporary, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise EvaluationFailedError(done.stderr.strip() or done.stdout.strip())


@contextmanager
def own_server() -> Iterator[OwnServer]:
    """Run a PostgreSQL server for the duration of the context."""
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        Path(folder).chmod(0o755)
        with OwnServer(Path(folder) / "s", safe=False).running() as server:
            yield server


def run_ours_on(server: OwnServer, folder: Path, target: Path, *, no_embeddings: bool) -> None:
    """Run the same with the PostgreSQL store, as a separate tenant."""
    shared = {"dsn": server.dsn, "tenant": uuid.uuid4().hex, "search_seconds": 30}
    with tempfile.TemporaryDirectory() as workspace:
        outcome = asyncio.run(
            evaluate(
                read_dataset(folder),
                Path(workspace),
                MemoryConfig(),
                embeddings=not no_embeddings,
                shared=shared,
            )
        )
    if "own index" in outcome.status.reason:
        raise EvaluationFailedError(outcome.status.reason)
    target.write_text("".join(f"{line}\n" for line in outcome.lines), encoding="utf-8")
