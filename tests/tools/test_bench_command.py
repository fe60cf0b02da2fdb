"""``nanobot-memory bench``: real searches over a made-up index."""

import json

import pytest
from typer.testing import CliRunner

from nanobot_memory_plugins.core.cli.main import app


def bench(*arguments: str) -> dict:
    result = CliRunner().invoke(app, ["bench", "--size", "200", "--json", *arguments])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout.strip().splitlines()[-1])


@pytest.mark.slow
@pytest.mark.parametrize("language", ["english", "chinese"])
def test_each_tier_is_timed_and_nobodys_memory_is_touched(language, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    figures = bench("--language", language, "--no-embeddings")
    assert figures["size"] == 200
    assert [row["what"] for row in figures["rows"]] == ["probe", "light", "heavy"]
    assert all(row["p95_ms"] >= row["median_ms"] > 0 for row in figures["rows"])
    assert list(tmp_path.iterdir()) == []
