"""Options of the bridge, below ``memoryPlugins.nanobot``."""

from pydantic import Field

from nanobot_memory_plugins.core import PluginOptions
from nanobot_memory_plugins.core.scopes.projects import project_of

AUTO = "auto"


class BridgeOptions(PluginOptions):
    """How the set behaves inside nanobot. Times are seconds."""

    start_limit: float = Field(
        default=5.0,
        gt=0,
        le=60,
        description="that the first turn waits for the memory to start; then it goes on without",
    )
    close_limit: float = Field(
        default=2.0, gt=0, le=2.0, description="that nanobot's end waits for the memory to close"
    )
    tool_limit: float = Field(default=30.0, gt=0, le=600, description="for one call of a memory tool by the model")
    background_turns: bool = Field(
        default=False, description="learn from turns that a timer set off (cron, heartbeat) when they end"
    )
    sweep_sessions: int = Field(
        default=20,
        ge=0,
        le=1_000,
        description="sessions at most that a start catches up on, left idle by earlier processes",
    )
    project: str = Field(
        default="",
        max_length=200,
        description="the project that is worked in: a name, or `auto` for the repository of the folder in which nanobot"
        " was started; its memories come first, and what is said is its own. Empty: none",
    )

    def worked_in(self, folder: str) -> str:
        """Return the project that is worked in by a process that was started in a folder. It blocks."""
        return project_of(folder) if self.project.strip() == AUTO else self.project.strip()
