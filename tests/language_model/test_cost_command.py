"""``nanobot-memory cost``, as people and programs call it."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.language_model import UsageLedger
from nanobot_memory_plugins.core.language_model.ledger import Usage


def run(workspace: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "nanobot_memory_plugins.core.cli", "cost", "--workspace", str(workspace)]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=60, check=False)


def spend(workspace: Path, day: datetime, purpose: str, tokens: int, outcome: str = "answered") -> None:
    ledger = UsageLedger(workspace / "memory" / ".usage")
    ledger.record(Usage(day.isoformat(), "flush", purpose, tokens, 5, 0.5, outcome), day.date())


@pytest.mark.slow
def test_uses_are_summed_up_by_day_purpose_and_plugin(tmp_path):
    today = datetime.now(UTC)
    spend(tmp_path, today, "flush", 100)
    spend(tmp_path, today, "flush", 50, "CompletionTimeoutError")
    spend(tmp_path, today, "summary", 7)
    spend(tmp_path, today - timedelta(days=3), "flush", 1)
    spend(tmp_path, today - timedelta(days=40), "flush", 1_000_000)
    done = run(tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    told = json.loads(line)
    first = told["rows"][0]
    assert (first["day"], first["purpose"], first["plugin"]) == (today.date().isoformat(), "flush", "flush")
    assert (first["uses"], first["failed"], first["prompt_tokens"], first["answer_tokens"]) == (2, 1, 150, 10)
    assert [row["purpose"] for row in told["rows"]] == ["flush", "summary", "flush"]
    assert told["total"]["prompt_tokens"] == 158
    assert len(json.loads(run(tmp_path, "--days", "1", "--json").stdout)["rows"]) == 2
    assert json.loads(run(tmp_path, "--days", "60", "--json").stdout)["total"]["prompt_tokens"] == 1_000_158


def test_people_get_a_table(tmp_path):
    spend(tmp_path, datetime.now(UTC), "flush", 12_345)
    done = run(tmp_path)
    assert done.returncode == 0
    assert "12,345" in done.stdout
    assert "purpose" in done.stdout


@pytest.mark.slow
def test_an_unused_workspace_and_wrong_use(tmp_path):
    unused = tmp_path / "unused"
    assert run(unused).returncode == 1  # there is no such workspace, and none is made
    assert not unused.exists()
    unused.mkdir()
    assert "made no use" in run(unused).stdout
    assert json.loads(run(unused, "--json").stdout)["rows"] == []
    assert run(tmp_path, "--days", "0").returncode == 2
