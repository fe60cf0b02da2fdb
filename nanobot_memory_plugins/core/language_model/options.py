"""Options for the use of the language model."""

from pydantic import Field

from nanobot_memory_plugins.core.values.plugin_options import PluginOptions


class LanguageModelOptions(PluginOptions):
    """Limits on every use of the language model. Times are seconds, budgets are estimated tokens."""

    timeout: float = Field(default=30.0, gt=0, description="seconds for one use of the model")
    purpose_timeouts: dict[str, float] = Field(
        default={"summary": 10.0, "reading": 60.0, "consolidation": 120.0}, description="seconds by purpose"
    )
    attempts: int = Field(default=3, ge=1, le=10, description="attempts, including the first")
    thinking_tokens: int = Field(
        default=2_000,
        ge=0,
        description="additional tokens for each answer of a reasoning model, which is detected by an answer that is"
        " empty or ends within its reasoning; 0: never",
    )
    daily_tokens: int = Field(default=200_000, ge=0, description="prompt and answer tokens per purpose and day")

    def timeout_for(self, purpose: str) -> float:
        """Return the seconds that one use for ``purpose`` may take, retries included."""
        return self.purpose_timeouts.get(purpose_of(purpose), self.timeout)


def purpose_of(purpose: str) -> str:
    """Return a purpose without the part for the host after a colon: "summary" of ``summary:deepseek``."""
    return purpose.partition(":")[0]
