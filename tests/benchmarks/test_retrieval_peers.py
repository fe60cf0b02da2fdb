"""A peer runs in an environment of its own, and one that fails says why."""

import os
import shutil

import numpy as np
import pytest

from benchmarks.retrieval import peers
from benchmarks.retrieval.peers import PeerFailedError, peer_names, run_peer, task_of
from tests.benchmarks.made_set import made_set

HEAD = '# /// script\n# requires-python = ">=3.11"\n# dependencies = []\n# ///\n'
WORKS = """
import importlib.util, json, os, pathlib, sys
folder = pathlib.Path(sys.argv[1])
assert importlib.util.find_spec("apsw") is None, "the project's environment shows through"
assert os.environ["HF_HUB_OFFLINE"] == "1"
lines = (folder / "docs.jsonl").read_text(encoding="utf-8").splitlines()
row = {"query_id": "q1", "ranked": [json.loads(lines[0])["id"]], "injected": []}
(folder / "run.jsonl").write_text(json.dumps(row))
(folder / "versions.json").write_text(json.dumps({"made": "1.2"}))
"""

pytestmark = pytest.mark.skipif(not (os.environ.get("UV") or shutil.which("uv")), reason="uv is not installed")


@pytest.fixture
def task(tmp_path):
    labelled = made_set(tmp_path / "made")
    return task_of(labelled, np.zeros((5, 2), np.float32), np.zeros((3, 2), np.float32))


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    folder = tmp_path / "scripts"
    folder.mkdir()
    monkeypatch.setattr(peers, "SCRIPTS", folder)
    return folder


def test_five_systems_have_a_script():
    assert peer_names() == ("chromadb", "lancedb", "mem0", "memsearch", "txtai")


def test_a_peer_gets_the_texts_and_leaves_its_run_and_versions(task, scripts, tmp_path):
    (scripts / "with_made.py").write_text(HEAD + WORKS, encoding="utf-8")
    done = run_peer("made", task, tmp_path / "place")
    assert done.versions == "made 1.2"
    assert '"a/1"' in done.file.read_text(encoding="utf-8")


@pytest.mark.parametrize(("body", "said"), [("raise OSError('no room')", "no room"), ("", "it said nothing")])
def test_a_peer_that_does_not_come_through_says_why(task, scripts, tmp_path, body, said):
    (scripts / "with_made.py").write_text(HEAD + body, encoding="utf-8")
    with pytest.raises(PeerFailedError, match=said):
        run_peer("made", task, tmp_path / "place")
