"""Our own recall on a labelled set, as ``nanobot-memory eval`` measures it: by the path that a message takes."""

import subprocess
import sys
import tempfile
from pathlib import Path

_COMMAND = (sys.executable, "-m", "nanobot_memory_plugins.core.cli", "eval")


class EvaluationFailedError(Exception):
    """The command ended with an error; the text is what it said."""


def run_ours(folder: Path, target: Path, *, no_embeddings: bool) -> None:
    """Ask every question of a set in its own group with the default options, and write the run to ``target``.

    Raises `EvaluationFailedError` when the command fails.
    """
    with tempfile.TemporaryDirectory() as temporary:
        # An empty configuration, so that nobody's own is measured.
        configuration = Path(temporary) / "config.json"
        configuration.write_text("{}", encoding="utf-8")
        command = [*_COMMAND, str(folder.absolute()), "--run", str(target), "--config", str(configuration)]
        if no_embeddings:
            command.append("--no-embeddings")
        done = subprocess.run(command, cwd=temporary, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise EvaluationFailedError(done.stderr.strip() or done.stdout.strip())
