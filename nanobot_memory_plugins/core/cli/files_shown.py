"""What of the memory's files may be shown, for commands that read them without an index and load no plugin."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from nanobot_memory_plugins.core.entry_points import (
    PLUGIN_GROUP,
    WITHHOLDING_GROUP,
    installed_entry_points,
    is_selected,
)
from nanobot_memory_plugins.core.values import Hit, Scope, Visibility, Withheld

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.config import MemoryConfig
    from nanobot_memory_plugins.core.host.withheld_words import WithheldWords

# The plugins that add nothing to the files, and withhold nothing but what entry points of `WITHHOLDING_GROUP` tell.
_OF_THE_FILES = frozenset(
    {
        *("storage", "recall", "observation", "flush", "summary", "bootstrap", "compaction", "consolidation"),
        "nanobot",
    }
)
# Our stores elsewhere, and the option without which each leaves everything on this machine.
_ELSEWHERE = {"postgres": "dsn"}


class FilesShown:
    """Takes out of what files hold what was forgotten, and can still be brought back. It blocks.

    The entry points of ``nanobot_memory_withholding`` name functions of the workspace, and of another function that
    says what is visible to whoever asks, which return what is withheld from them: the answer of `withheld_texts`.
    """

    def __init__(self, workspace: Path, config: "MemoryConfig") -> None:
        self._workspace = workspace
        self._config = config

    @cached_property
    def are_everything(self) -> bool:
        """Whether the files are all there is: no plugin is enabled that may know more, or withhold of them."""
        return all(
            point.name in _OF_THE_FILES or not self._is_enabled(point.name) or self._stays_here(point.name)
            for point in installed_entry_points(PLUGIN_GROUP)
        )

    def hits(self, scope: Scope, hits: Sequence[Hit]) -> Sequence[Hit]:
        """Return hits without the sentences that are withheld from ``scope``. Raises what the functions raise."""
        wanted = self._withheld(scope)
        if wanted is None:
            return hits
        from nanobot_memory_plugins.core.host.withheld_words import hit_without

        return [shown for hit in hits if (shown := hit_without(hit, wanted)) is not None]

    def _withheld(self, scope: Scope) -> "WithheldWords | None":
        held: list[Withheld] = []
        for point in installed_entry_points(WITHHOLDING_GROUP):
            if self._is_enabled(point.name):
                told: Callable[[Path, Callable[[], Visibility]], Sequence[Withheld]] = point.load()
                held += told(self._workspace, lambda: self._visible(scope))
        if not held:
            return None
        from nanobot_memory_plugins.core.host.withheld_words import WithheldWords

        return WithheldWords(held)

    def _visible(self, scope: Scope) -> Visibility:
        from nanobot_memory_plugins.core.scopes.workspace_scopes import offered_scopes

        return offered_scopes(self._workspace, self._config).visible(scope)

    def _stays_here(self, name: str) -> bool:
        return name in _ELSEWHERE and not self._config.plugins.get(name, {}).get(_ELSEWHERE[name])

    def _is_enabled(self, name: str) -> bool:
        return self._config.enabled(name) and is_selected(name)
