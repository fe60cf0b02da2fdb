"""The options of recall, under the names of the configuration."""

from pydantic import Field

from nanobot_memory_plugins.core import PluginOptions
from nanobot_memory_plugins.core.text.small_talk import SMALL_TALK
from nanobot_memory_plugins.recall.trigger_phrases import (
    EXPLICIT_ANCHORS,
    HEDGES,
    IMPLICIT_SIGNALS,
    UNCERTAIN_MARKERS,
)


class RecallOptions(PluginOptions):
    """Options of the recall plugin. Milliseconds end in ``_ms``; the other times are seconds."""

    def given(self, name: str) -> int | None:
        """Return a size that acts only where somebody has set it, or None."""
        value: int = getattr(self, name)
        return value if name in self.model_fields_set else None

    recall_timeout: float | None = Field(
        default=None, gt=0, description="seconds for a recall at any tier; None: the limits by tier"
    )
    probe_ms: int = Field(default=80, gt=0, description="limit of the probe when no word asks for memory")
    light_ms: int = Field(default=180, gt=0, description="limit of a search in tl;dr, tags and titles")
    heavy_ms: int = Field(default=450, gt=0, description="limit of a search in the whole text")
    enable_probe_on_off: bool = Field(default=True, description="probe although no word asks for memory")
    light_threshold: float = Field(
        default=0.75, ge=0, le=1, description="coverage of a light hit at which no heavy search follows"
    )
    need_threshold: float = Field(
        default=0.5, ge=0, le=1, description="probability that a message needs memory, below which nothing is injected"
    )
    min_usefulness: float = Field(
        default=0.02,
        ge=0,
        le=1,
        description="probability that a hit helps, below which it is not injected",
    )
    min_share_of_best: float = Field(
        default=0.3,
        ge=0,
        le=1,
        description="share of the best hit's probability to help, below which a hit is not injected",
    )
    recall_top_k: int = Field(default=8, ge=1, le=60, description="memories in a block at any tier, at most")
    light_top_k: int = Field(
        default=3, ge=1, le=60, description="memories from a light search, at most; recallTopK where that is less"
    )
    heavy_top_k: int = Field(
        default=8, ge=1, le=60, description="memories from a heavy search, at most; recallTopK where that is less"
    )
    max_full_docs: int = Field(
        default=3, ge=0, description="memories that stand whole where it is set; else a user's line does, and no answer"
    )
    max_snippets: int = Field(default=5, ge=0, description="those after them, at most, where it is set")
    heavy_max_snippet_chars: int = Field(
        default=360, ge=20, description="characters of a snippet, at most, where it is set; else 240"
    )
    max_context_tokens: int = Field(default=800, ge=0, description="estimated tokens of a block, fence included")
    inject_budget_chars: int = Field(
        default=1_800,
        ge=0,
        le=100_000,
        description="characters of a block, fence included, where it is set; else tokens alone count",
    )
    explicit_anchors: tuple[str, ...] = Field(default=EXPLICIT_ANCHORS, description="words that ask for memory")
    implicit_signals: tuple[str, ...] = Field(default=IMPLICIT_SIGNALS, description="words that may need memory")
    small_talk: tuple[str, ...] = Field(default=SMALL_TALK, description="a message of these alone recalls nothing")
    uncertain_markers: tuple[str, ...] = Field(
        default=UNCERTAIN_MARKERS, description="words of a draft that does not know; one of them is enough"
    )
    hedges: tuple[str, ...] = Field(default=HEDGES, description="those of them that count in a short draft only")
    recall_memory_alias: bool = Field(
        default=False, description="offer memory_search under the name recall_memory too; it costs a tool in the prompt"
    )


def wider(options: RecallOptions) -> RecallOptions:
    """Return options with room for twice as many memories, for a second look: the budget of the block is the same."""
    return options.model_copy(
        update={
            "recall_top_k": 2 * options.recall_top_k,
            "light_top_k": 2 * options.light_top_k,
            "heavy_top_k": 2 * options.heavy_top_k,
            "min_share_of_best": 0.0,
        }
    )
