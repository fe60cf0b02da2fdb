"""What somebody wants forgotten, and what can still be brought back: it is not recalled meanwhile."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.core.host.plugins.plugin_host import PluginAnswer, PluginHost
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values import ContextBlock, Hit, Message, Scope, Withheld
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.redaction.script.printable import one_line

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.host.withheld_words import WithheldWords

_HOOK = "withheld_texts"
_HISTORIES = ("history", "messages")
_ITEM = "- "
# Sets of texts that are kept ready: one for each group of people who see the same.
_KEPT = 16


class Withholding:
    """Takes what plugins withhold out of what others show. Whoever withholds it may name it: it tells what was done.

    While a plugin that withholds something fails to say what, nothing of others is shown. One that never did is not
    waited for: its failure takes nothing from the others.
    """

    def __init__(self, plugins: PluginHost) -> None:
        self._plugins = plugins
        self._wanted: BoundedDict[tuple[Withheld, ...], WithheldWords] = BoundedDict(_KEPT)
        self._withhold: set[str] = set()  # the plugins that ever did

    async def blocks(self, answers: Sequence[PluginAnswer], scope: Scope) -> list[ContextBlock]:
        """Return the blocks among the answers to one message, their titles above them as lines of the text.

        Lines that hold what is withheld are left out.
        """
        found = [(one.plugin_name, value) for one in answers for value in one.values if isinstance(value, ContextBlock)]
        withheld = await self._withheld(scope) if found else []
        failing = self._failing()
        left: list[ContextBlock] = []
        for name, block in found:
            if failing - {name}:
                continue
            wanted = self._from_others(withheld, name)
            title, text = one_line(block.title), block.text
            if wanted:
                title = "" if wanted.are_in(title) else title
                text = without_lines(text, wanted)
            if text:
                left.append(replace(block, text=f"{title}\n{text}" if title else text, title=""))
        return left

    async def hits(self, plugin: str, scope: Scope, hits: Sequence[Hit]) -> list[Hit]:
        """Return what a plugin has found for a model without the sentences that are withheld from ``scope``.

        A hit that says nothing else is left out.
        """
        wanted = self._from_others(await self._withheld(scope), plugin) if hits else None
        if self._failing() - {plugin}:
            return []
        if wanted is None:
            return list(hits)
        from nanobot_memory_plugins.core.host.withheld_words import hit_without

        return [shown for hit in hits if (shown := hit_without(hit, wanted)) is not None]

    async def without_withheld(self, arguments: dict[str, Any], scope: Scope) -> dict[str, Any] | None:
        """Return the arguments of a hook whose histories do not say what is withheld; None where that cannot be told.

        There are as many messages, some of them empty.
        """
        histories = {name: arguments[name] for name in _HISTORIES if arguments.get(name)}
        wanted = self._from_others(await self._withheld(scope), "") if histories else None
        if histories and self._failing():
            return None
        if wanted is None:
            return arguments
        changed = await run_in_daemon_thread(
            lambda: {name: tuple(_without(one, wanted) for one in said) for name, said in histories.items()}
        )
        return {**arguments, **changed}

    async def _withheld(self, scope: Scope) -> list[PluginAnswer]:
        answers = await self._plugins.call(_HOOK, {"scope": scope}, accept=(Withheld,))
        self._withhold |= {one.plugin_name for one in answers if one.values}
        return answers

    def _failing(self) -> frozenset[str]:
        """Return the plugins that withhold something, and whose last answer failed, or came too late."""
        failures = self._plugins.failures()
        return frozenset(
            name for (name, hook), count in failures.items() if hook == _HOOK and count and name in self._withhold
        )

    def _from_others(self, withheld: Sequence[PluginAnswer], plugin: str) -> "WithheldWords | None":
        """Return what all but one plugin withhold, or None."""
        others = (value for one in withheld if one.plugin_name != plugin for value in one.values)
        held = tuple(one for one in others if isinstance(one, Withheld))
        if not held:
            return None
        from nanobot_memory_plugins.core.host.withheld_words import WithheldWords

        wanted = self._wanted.pop(held, None) or WithheldWords(held)
        self._wanted[held] = wanted  # the one that was used last is the last
        return wanted


def _without(message: Message, wanted: "WithheldWords") -> Message:
    if not message.text or not wanted.are_in(message.text):
        return message
    left = wanted.rest(message.text)
    return replace(message, text=left, raw=MappingProxyType({**message.raw, "content": left}))


def without_lines(text: str, wanted: "WithheldWords") -> str:
    """Return a text without the lines that hold what is wanted, and without headings that nothing is left below."""
    if not wanted.are_in(text):
        return text
    return "\n".join(_left(text.split("\n"), wanted))


def _left(lines: Iterable[str], wanted: "WithheldWords") -> list[str]:
    left: list[str] = []
    heading: str | None = None  # one below which all items so far were taken out
    for line in lines:
        goes = wanted.are_in(line)
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
