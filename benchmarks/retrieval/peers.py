"""Other systems, each run in a separate environment that uv builds from the head of its script.

They are no dependencies of the project, since their requirements exclude each other and ours.
"""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchmarks.retrieval.datasets import LabelledSet
from benchmarks.retrieval.exchange import Entry, Task, Vectors, read_versions, write_task

SCRIPTS = Path(__file__).with_name("peer_scripts")
_ROOT = Path(__file__).parents[2]
_LIMIT_SECONDS = 1800
_LAST_LINES = 12

# Switches off downloads from model hubs, and telemetry.
_QUIET = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "ANONYMIZED_TELEMETRY": "False",
    "MEM0_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


class PeerFailedError(Exception):
    """A peer could not be installed, or ended with an error; the text is the end of its output."""


@dataclass(frozen=True, slots=True)
class PeerRun:
    """The path of a peer's run, and its versions."""

    file: Path
    versions: str


def peer_names() -> tuple[str, ...]:
    """Return the names of the peers that have a script."""
    return tuple(sorted(script.stem.removeprefix("with_") for script in SCRIPTS.glob("with_*.py")))


def task_of(labelled: LabelledSet, document_vectors: Vectors, question_vectors: Vectors) -> Task:
    """Return the task of a peer, with the same texts and vectors as ours."""
    return Task(
        labelled.name,
        labelled.language,
        [Entry(document.id, document.group, document.line) for document in labelled.documents],
        [Entry(question.id, question.group, question.text) for question in labelled.questions],
        document_vectors,
        question_vectors,
    )


def run_peer(name: str, task: Task, folder: Path) -> PeerRun:
    """Run a peer in ``folder``, and fill the folder. Raises `PeerFailedError` when it fails."""
    write_task(task, folder)
    uv = os.environ.get("UV") or shutil.which("uv")
    if uv is None:
        raise PeerFailedError("uv, which builds its environment, is not there")
    script = SCRIPTS / f"with_{name}.py"
    environment = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
    environment |= {"PYTHONPATH": str(_ROOT), "HOME": str(folder), "MEM0_DIR": str(folder / "mem0"), **_QUIET}
    environment.setdefault("UV_CACHE_DIR", _uv_cache(uv))
    try:
        done = subprocess.run(
            [uv, "run", "--quiet", "--script", str(script), str(folder)],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_LIMIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise PeerFailedError(f"it took longer than {_LIMIT_SECONDS} s") from error
    if done.returncode != 0 or not (folder / "versions.json").exists():
        raise PeerFailedError("\n".join(done.stderr.strip().splitlines()[-_LAST_LINES:]) or "it said nothing")
    versions = ", ".join(f"{package} {version}" for package, version in read_versions(folder).items())
    return PeerRun(folder / "run.jsonl", versions)


def _uv_cache(uv: str) -> str:
    """Return uv's package cache, since the peers have a separate home folder and would download everything again."""
    return subprocess.check_output([uv, "cache", "dir"], text=True).strip()
