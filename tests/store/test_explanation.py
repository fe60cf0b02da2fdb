"""The explanation of a search adds up to its order."""

import pytest

from nanobot_memory_plugins.core.values import Level, Query, Tier
from tests.support.indexed_workspace import Workspace, message

from .conftest import OpenStore

SAID = [
    "Which database did we choose for billing?",
    "We chose PostgreSQL for billing.",
    "It runs on port 5433.",
    "The cat is called Mochi.",
    "We chose PostgreSQL for billing.",
]
ASKED = Query("which database runs billing on which port", asked_at=None)


@pytest.fixture
def told(workspace: Workspace) -> Workspace:
    workspace.write("sessions/direct.jsonl", b"".join(message(text, f"m{n}") for n, text in enumerate(SAID)))
    return workspace


@pytest.mark.parametrize("tier", list(Tier))
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fusion": "weighted"},
        {"fusion": "weighted", "recency_weight": 0.2},
        {"fusion": "rrf"},
    ],
)
async def test_the_parts_of_each_candidate_add_up_to_its_total(
    told: Workspace, open_store: OpenStore, options: dict[str, object], tier: Tier
):
    store = await open_store(**options)
    await store.flush()
    plain = await store.search(Query(ASKED.text, tier=tier))
    result = await store.search(Query(ASKED.text, tier=tier, explain=True))
    assert not plain.weighed
    assert [hit.id for hit in result.hits] == [hit.id for hit in plain.hits]
    weighed = result.weighed
    if tier is Tier.HEAVY:
        assert len(weighed) > 3
        assert result.level is (Level.MARKDOWN if "backend" in options else Level.FULL_TEXT)
    for one in weighed:
        assert one.total == pytest.approx(sum(value * weight for value, weight in one.parts.values()), abs=1e-9)
    assert [one.hit for one in weighed if one.place is not None] == list(result.hits)
    assert [one.place for one in weighed if one.place] == list(range(1, len(result.hits) + 1))
