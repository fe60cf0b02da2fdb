"""How hits are put in order."""

from typing import Literal

from pydantic import Field

from nanobot_memory_plugins.core import PluginOptions


class SearchOptions(PluginOptions):
    """Fusion of full text and meaning, and how fresh the vectors are."""

    fusion: Literal["weighted", "rrf"] = Field("weighted", description="How the two orders become one.")
    vector_weight: float = Field(0.6, ge=0, le=1, description="Weight of the meaning, with weighted fusion.")
    fts_weight: float = Field(0.4, ge=0, le=1, description="Weight of the words, with weighted fusion.")
    recency_weight: float = Field(0.0, ge=0, le=1, description="Weight of how recent a passage is.")
    recency_half_life_days: float = Field(30.0, gt=0, description="Days after which recency has halved.")
    context_boosts: bool = Field(True, description="Let neighbours, session and speaker raise a passage.")
    rrf_k: int = Field(60, ge=1, le=10_000, description="The constant of reciprocal rank fusion.")
    candidate_factor: int = Field(4, ge=1, le=100, description="Candidates from each side, as a multiple of the hits.")
    vector_refresh_ttl: float = Field(30.0, ge=0, le=86_400, description="Seconds that vectors may be out of date.")
