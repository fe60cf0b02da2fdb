"""The panel, driven as a person drives it: keys are pressed, and the screen is read."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from textual.events import Key
from textual.keys import _character_to_key
from textual.pilot import Pilot

from nanobot_memory_plugins.core import load_config
from nanobot_memory_plugins.core.cli.language import use_language
from nanobot_memory_plugins.core.testing import ManualClock
from nanobot_memory_plugins.panel.app import PanelApp
from nanobot_memory_plugins.panel.memory import open_memory


class Driven:
    """A panel that runs, with the pilot that presses its keys."""

    def __init__(self, app: PanelApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        await self.pilot.press(*keys)

    async def type_at_once(self, *keys: str) -> None:
        """Press keys faster than any of them is answered."""
        for key in keys:
            self.app.post_message(Key(_character_to_key(key), key) if len(key) == 1 else Key(key, None))
        await self.pilot.pause()

    async def until(self, condition: Callable[[], object], what: str = "") -> None:
        """Wait until something holds, a minute at most."""
        for _ in range(1_200):
            if condition():
                return
            await self.pilot.pause(0.05)
        raise AssertionError(f"{what or 'it'} did not come:\n{self.screen()}")

    async def sees(self, *texts: str) -> None:
        """Wait until texts are on the screen."""
        for text in texts:
            await self.until(lambda text=text: text in self.screen(), repr(text))

    async def show(self, name: str) -> None:
        """Show a view."""
        await self.app.action_show(name)
        await self.until(lambda: self.app.views[name].loaded_version is not None, name)

    def said(self) -> str:
        """Return what the panel has told in passing."""
        return "\n".join(one.message for one in self.app._notifications)

    def lines(self) -> list[str]:
        """Return the lines of the screen."""
        return [strip.text for strip in self.app.screen._compositor.render_strips()]

    def screen(self) -> str:
        """Return what is on the screen."""
        return "\n".join(self.lines())


_Panel = TypeVar("_Panel", bound=Driven)


@asynccontextmanager
async def panel_of(
    workspace: Path,
    config: Path | None,
    clock: ManualClock | None,
    *,
    language: str = "en",
    size: tuple[int, int] = (100, 30),
    poll_seconds: float = 0.0,
    kind: type[_Panel] = Driven,  # type: ignore[assignment]
) -> AsyncIterator[_Panel]:
    """Open the panel over a workspace; ``kind`` drives it."""
    with use_language(language):
        async with open_memory(workspace, load_config(config), clock=clock) as memory:
            app = PanelApp(memory, poll_seconds=poll_seconds)
            async with app.run_test(size=size) as pilot:
                panel = kind(app, pilot)
                await panel.until(lambda: app.current.loaded_version is not None, "the first view")
                await pilot.pause()
                yield panel
