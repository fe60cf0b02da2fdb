"""The options of the bootstrap plugin, under the names of the configuration."""

from pydantic import Field

from nanobot_memory_plugins.core import PluginOptions

# Stands for every file that no other pattern of the priority names.
OTHERS = "*"


class BootstrapOptions(PluginOptions):
    """Options of the bootstrap plugin. Sizes are characters."""

    max_chars: int = Field(default=20_000, ge=0, description="of one file, marker included")
    total_max_chars: int = Field(
        default=24_000, ge=0, description="of all files; together with headings and markers they stay inside 98 % of it"
    )
    head_ratio: float = Field(default=0.7, ge=0, le=1, description="share of a file's budget for its beginning")
    tail_ratio: float = Field(default=0.2, ge=0, le=1, description="share of a file's budget for its end")
    min_budget: int = Field(
        default=64, ge=0, description="when less remains of the budget, the remaining files are left out"
    )
    priority: tuple[str, ...] = Field(
        default=("AGENTS.md", "SOUL.md", "USER.md", OTHERS, "MEMORY.md"),
        description="who gets the budget first: names or patterns; a single * stands for all others",
    )
