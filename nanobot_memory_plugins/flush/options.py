"""Options of the flush plugin."""

from typing import Literal

from pydantic import Field

from nanobot_memory_plugins.core import PluginOptions


class FlushOptions(PluginOptions):
    """Options of the flush plugin. Sizes are estimated tokens unless they say otherwise."""

    reserve_floor: int = Field(default=20_000, ge=0, description="tokens left free at the end of the window")
    soft_threshold: int = Field(default=4_000, ge=0, description="tokens before that at which the flush is triggered")
    context_window: int | None = Field(default=None, gt=0, description="the model's window; none: what the host says")
    host_answer_tokens: int | None = Field(
        default=None, ge=0, description="tokens that the host keeps free for an answer, where that is a large part"
    )
    anticipate: bool = Field(
        default=True, description="flush after the turn that passes the trigger, not only at a cut"
    )
    max_entries: int = Field(default=20, ge=1, le=200, description="entries that are taken from one answer")
    archive_chars: int = Field(
        default=6_000,
        ge=500,
        le=1_000_000,
        description="characters of the excerpts that are kept when the model gives nothing usable",
    )
    destination: Literal["day", "by_type"] = Field(
        default="day",
        description="where entries go: the day's note, or with by_type decisions and config to MEMORY.md",
    )
