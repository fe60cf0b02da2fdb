"""Options of the consolidation plugin."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class ConsolidationOptions(BaseModel):
    """Options of the consolidation plugin: scored long-term entries."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)

    prompt_entries: int = Field(default=20, ge=0, le=200, description="entries that stand in the prompt, at most")
    prompt_min_score: float = Field(default=0.5, ge=0, le=1, description="the score that an entry needs for the prompt")
    prompt_tokens: int = Field(default=800, ge=50, description="tokens of all entries in the prompt, at most")
    prompt_language: Literal["auto", "zh", "en"] = Field(
        default="auto",
        description="the language of the heading above them: the one that the user writes, or a fixed one",
    )
