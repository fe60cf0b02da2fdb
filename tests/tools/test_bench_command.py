"""``nanobot-memory bench``: real searches over a made-up index, beside the bare parts."""

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
def test_each_tier_stands_beside_the_bare_parts_of_the_same_run(language, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    figures = bench("--language", language, "--no-embeddings")
    rows = {row["what"]: row for row in figures["rows"]}
    assert figures["size"] == 200
    assert list(rows) == ["bare full-text query", "probe", "light", "heavy"]
    bare = rows["bare full-text query"]
    for tier in ("probe", "light", "heavy"):
        assert rows[tier]["median_ms"] > 0
        assert rows[tier]["median_ratio"] == pytest.approx(rows[tier]["median_ms"] / bare["median_ms"], rel=0.1)
    assert bare["median_ratio"] is None
    assert list(tmp_path.iterdir()) == []  # nobody's memory was touched
