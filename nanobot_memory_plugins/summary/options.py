"""Options of the summary plugin."""

from typing import Literal

from pydantic import Field

from nanobot_memory_plugins.core import PluginOptions


class SummaryOptions(PluginOptions):
    """Options of the summary plugin."""

    summary_interval: float = Field(
        default=300.0, ge=0, description="seconds between two summaries of one session, at least; its end does not wait"
    )
    summary_mode: Literal["llm", "concat"] = Field(
        default="llm", description="by the language model, or put together from the messages without it"
    )
    summary_llm_provider: str | None = Field(
        default=None,
        description="handed to the host with the purpose, as `summary:<provider>`, for hosts that can choose",
    )
    summary_min_turns: int = Field(default=3, ge=1, description="user messages since the last summary, at least")
    fallback_at_end: bool = Field(
        default=True, description="summarise a shorter session too when it ends and nothing of it was noted"
    )
