"""Options of the consolidation plugin."""

from pydantic import Field

from nanobot_memory_plugins.core import PluginOptions


class ConsolidationOptions(PluginOptions):
    """Options of the consolidation plugin: scored long-term entries."""

    prompt_entries: int = Field(default=20, ge=0, le=200, description="maximum number of entries in the prompt")
    prompt_min_score: float = Field(default=0.5, ge=0, le=1, description="minimum score of an entry in the prompt")
    prompt_tokens: int = Field(
        default=1_400, ge=50, le=40_000, description="maximum tokens of all entries in the prompt"
    )

    consolidation_hour: int = Field(default=3, ge=0, le=23, description="hour of the daily consolidation, local time")
    consolidation_days: int = Field(default=7, ge=1, le=31, description="days of notes that a consolidation reads")
    consolidation_tokens: int = Field(default=6_000, ge=500, description="maximum tokens of a consolidation's prompt")
    consolidation_delay: float = Field(
        default=30.0, ge=0, description="seconds after the start before a missed consolidation is run"
    )
    consolidation_schedule: bool = Field(default=True, description="consolidate daily")
    git_commit: bool = Field(
        default=False, description="commit the entries' file after a consolidation if the workspace is a repository"
    )

    extract: bool = Field(default=True, description="learn entries from sessions that are idle, ended or compacted")
    background_sessions: tuple[str, ...] = Field(
        default=("cron:", "heartbeat"), description="key prefixes of sessions in which nobody speaks"
    )
