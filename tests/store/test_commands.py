"""``nanobot-memory index`` and ``search``, run as by a user."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.kit.command import run
from tests.support.indexed_workspace import Workspace, entry, message

NO_MODEL = {"memoryPlugins": {"storage": {"embeddingProvider": "none"}}}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(NO_MODEL), encoding="utf-8")
    return path


def answer(*arguments: Any) -> dict[str, Any]:
    ended = run(*arguments, "--json")
    assert ended.status == 0, ended.err
    assert len(ended.out.splitlines()) == 1
    return ended.json


def test_search_filters_by_time_origin_kind_and_tag(workspace: Workspace, config: Path):
    def note(id_: str, day: str, tags: str, origin: str) -> str:
        fields = f"type: note\ntags: {tags}\ntl;dr: the kiln fires at {id_} degrees\nid: {id_}\norigin: {origin}\n"
        return f"### {day} 14:20 kiln\n{fields}\n"

    workspace.write("2026-02-16.md", note("a1", "2026-02-16", "work/helix, Pottery", "user"))
    workspace.write("2026-03-06.md", note("b2", "2026-03-06", "workshop", "tool"))
    workspace.write("sessions/cli.jsonl", message("the kiln is cold", "m1"))
    place = ("--workspace", workspace.path, "--config", config)

    def files(*more: str) -> list[str]:
        return sorted(Path(hit["file"]).name for hit in answer("search", "kiln", *more, *place)["hits"])

    assert len(files()) == 3
    assert files("--since", "2026-03", "--until", "2026-03-31") == ["2026-03-06.md"]
    assert "2026-03-06.md" not in files("--until", "2026-03-05")
    assert "2026-03-06.md" in files("--until", "2026-03-06"), "the day is included"
    assert files("--origin", "tool") == ["2026-03-06.md"]
    assert files("--kind", "transcript") == ["cli.jsonl"]
    assert files("--tag", "pottery") == files("--tag", "WORK") == ["2026-02-16.md"]
    assert files("--tag", "workshop", "--tag", "pottery") == ["2026-02-16.md", "2026-03-06.md"]
    assert files("--tag", "wor_shop") == files("--tag", "%") == []
    assert answer("search", "kiln", "--tag", "pottery", *place)["hits"][0]["tags"] == ["work/helix", "Pottery"]
    for wrong in (["--since", "2026-13"], ["--since", "soon"], ["--since", "2026-03", "--until", "2026-02"]):
        ended = run("search", "kiln", *wrong, *place)
        assert ended.status == 2
        assert ended.err.startswith("nanobot-memory: --since")
    assert run("search", "kiln", "--kind", "diary", *place).status == 2


def test_indexing_waits_for_the_model_and_its_vectors(workspace: Workspace, builtin_model: Path):
    workspace.write("2026-02-16.md", entry("we had soup for lunch", "a1") + entry("the port is 6543", "a2"))
    ended = run("index", "--workspace", workspace.path, "--json")
    counts = ended.json
    assert (counts["level"], counts["vectors"], counts["pending_vectors"]) == (0, 2, 0)
    assert counts["model"]
    hits = answer("search", "what did we eat?", "--workspace", workspace.path)["hits"]
    assert "soup" in hits[0]["snippet"]
    assert answer("search", "soup", "--no-embeddings", "--workspace", workspace.path)["level"] == 2
