"""``nanobot-memory panel``: shows and changes the memory, in the terminal or in a browser."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.core import InputError, load_config, logger
from nanobot_memory_plugins.core.cli.options import ConfigOption, WorkspaceOption, existing_workspace
from nanobot_memory_plugins.core.cli.repair import finish_erasure
from nanobot_memory_plugins.core.config.models import MemoryConfig

# Textual's own variable, which textual-serve sets for the programs that it runs for a browser.
_DRIVER_VARIABLE = "TEXTUAL_DRIVER"


def panel(
    web: Annotated[
        bool, typer.Option("--web", help="In a browser on this machine, at an address that works once.")
    ] = False,
    port: Annotated[int, typer.Option("--port", min=0, max=65_535, help="For --web; 0: any that is free.")] = 0,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
) -> None:
    """See what is remembered, search it, correct it, forget it. Keys are shown below; ? shows all."""
    folder = existing_workspace(workspace)
    options = load_config(config)
    finish_erasure(folder, options)
    # Textual is slow to import, so it is imported only when the panel opens.
    if web:
        from nanobot_memory_plugins.panel.web import serve

        serve(folder, config, port=port)
        return
    is_served = "web_driver" in os.environ.get(_DRIVER_VARIABLE, "")
    if not is_served and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError(
            "The panel needs a terminal to draw on.",
            hint="Run it in one, or use `nanobot-memory panel --web`.",
        )
    # The log would be drawn over the screen. The panel collects warnings and shows them under Health.
    logger.remove()
    if asyncio.run(_run_panel(folder, options)):
        raise typer.Exit(1)


async def _run_panel(workspace: Path, config: MemoryConfig) -> int:
    """Run the panel until it is closed, and return its exit code."""
    from nanobot_memory_plugins.panel.app import PanelApp
    from nanobot_memory_plugins.panel.memory import open_memory

    async with open_memory(workspace, config) as memory:
        app = PanelApp(memory)
        await app.run_async()
        return app.return_code or 0
