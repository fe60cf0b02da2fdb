"""The options of the compaction plugin."""

from pydantic import Field

from nanobot_memory_plugins.core import PluginOptions


class CompactionOptions(PluginOptions):
    """Options for cutting and summarising history. Sizes are estimated tokens, and shares are of the window."""

    reserve_tokens: int = Field(default=16_384, ge=0, description="tokens left free for the prompt and the answer")
    keep_share: float = Field(
        default=0.2, ge=0, le=0.9, description="maximum share for the last messages, which stay unchanged"
    )
    keep_messages: int = Field(
        default=4, ge=0, description="number of last messages that stay even if they exceed the shares"
    )
    summary_tokens: int = Field(default=1_200, ge=64, le=500_000, description="maximum tokens of the summary")
    base_chunk_ratio: float = Field(
        default=0.4, gt=0, le=0.8, description="share of the window for the prompt of one model call"
    )
    min_chunk_ratio: float = Field(default=0.15, gt=0, le=0.8, description="the same, if messages are large")
    safety_margin: float = Field(default=1.2, ge=1, le=4, description="factor on estimates of what a model call holds")
    max_input_tokens: int = Field(
        default=40_000,
        ge=256,
        description="history shown to the model in one compaction; the longest messages are shortened",
    )
    tool_result_tokens: int = Field(default=600, ge=16, description="tokens of a tool's result that the model is shown")
    max_calls: int = Field(default=5, ge=0, description="model calls in one compaction; 0: extract without the model")
