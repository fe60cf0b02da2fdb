"""What somebody wants forgotten, and what can still be brought back: it is not recalled meanwhile."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from nanobot_memory_plugins.core.erasure.matching import Wanted
from nanobot_memory_plugins.core.plugin_host import PluginAnswer, PluginHost
from nanobot_memory_plugins.core.values import ContextBlock, Withheld

_ITEM = "- "


class Withholding:
    """Takes what plugins withhold out of the blocks of others."""

    def __init__(self, plugins: PluginHost) -> None:
        self._plugins = plugins
        self._wanted: dict[tuple[str, ...], Wanted] = {}

    async def blocks(self, answers: Sequence[PluginAnswer]) -> list[ContextBlock]:
        """Return the blocks among the answers to one message, without the lines that hold what is withheld.

        Whoever withholds it may name it in a block of its own: it tells what was done.
        """
        found = [(one.plugin_name, value) for one in answers for value in one.values if isinstance(value, ContextBlock)]
        told = await self._plugins.call("withheld_texts", {}, accept=(Withheld,)) if found else []
        withheld = {
            one.plugin_name: tuple(value.text for value in one.values if isinstance(value, Withheld)) for one in told
        }
        left: list[ContextBlock] = []
        for name, block in found:
            texts = tuple(text for other, several in withheld.items() if other != name for text in several)
            shown = replace(block, text=without_lines(block.text, self._of(texts))) if texts else block
            left += [shown] if shown.text else []
        return left

    def _of(self, texts: tuple[str, ...]) -> Wanted:
        if texts not in self._wanted:
            self._wanted = {texts: Wanted(texts)}
        return self._wanted[texts]


def without_lines(text: str, wanted: Wanted) -> str:
    """Return a text without the lines that hold what is wanted, and without headings that nothing is left below."""
    if not wanted.count(text):
        return text
    return "\n".join(_left(text.split("\n"), wanted))


def _left(lines: Iterable[str], wanted: Wanted) -> list[str]:
    left: list[str] = []
    heading: str | None = None  # one below which all items so far were taken out
    for line in lines:
        goes = bool(wanted.count(line))
        if not line.startswith(_ITEM):
            heading = None
        if goes:
            if left and not left[-1].startswith(_ITEM) and line.startswith(_ITEM):
                heading = left.pop()
            continue
        if line.startswith(_ITEM) and heading is not None:
            left.append(heading)
            heading = None
        left.append(line)
    return left
