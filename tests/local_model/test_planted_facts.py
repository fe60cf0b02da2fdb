"""What a user says comes through flush and compaction with the real model (FL-08): opt-in, as in `test_real_model`."""

import os

import pytest

from benchmarks.local_model_client import client_of
from benchmarks.silent_turn import played
from nanobot_memory_plugins.tools.local_model.file import local_model_file
from nanobot_memory_plugins.tools.local_model.server import LocalModelServer

pytestmark = pytest.mark.skipif(
    os.environ.get("NANOBOT_MEMORY_LOCAL_MODEL") != "1",
    reason="a real language model takes minutes (uv sync --group local-model, then set NANOBOT_MEMORY_LOCAL_MODEL=1)",
)


async def test_planted_facts_are_kept_through_flush_and_compaction_in_both_languages():
    with LocalModelServer(local_model_file(), context_tokens=8_192) as server:
        outcomes = [await played(language, seed, client_of(server)) for language in ("en", "zh") for seed in range(2)]
    assert sum(one.kept for one in outcomes) > 0.95 * sum(one.planted for one in outcomes)
    assert all(one.seconds for one in outcomes)
