"""``nanobot-memory panel``: see and change the memory, in the terminal or in a browser."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.core import InputError, logger
from nanobot_memory_plugins.core.cli.language import language_named, languages, spoken_language
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    WorkspaceOption,
    existing_workspace,
    read_configuration,
)
from nanobot_memory_plugins.core.cli.repair import repair_memory
from nanobot_memory_plugins.panel.language import PanelWords
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Textual's own switch, which textual-serve sets for the programs that it starts.
_DRIVER_VARIABLE = "TEXTUAL_DRIVER"


def is_served(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether a browser is on the other end, and no terminal."""
    return "web_driver" in environment.get(_DRIVER_VARIABLE, "")


AUTO = "auto"


def _languages(incomplete: str) -> list[str]:
    return [language for language in (AUTO, *languages()) if language.startswith(incomplete)]


def panel(
    web: Annotated[
        bool, typer.Option("--web", help="In a browser on this machine, at an address that works once.")
    ] = False,
    port: Annotated[int, typer.Option("--port", min=0, max=65_535, help="For --web; 0: any that is free.")] = 0,
    language: Annotated[
        str,
        typer.Option(
            "--language",
            metavar="LANGUAGE",
            help="en, zh or zh_Hant; auto: that of the command line.",
            autocompletion=_languages,
        ),
    ] = AUTO,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
) -> None:
    """See what is remembered, search it, correct it, forget it. Keys are shown below; ? shows all."""
    folder = existing_workspace(workspace)
    repair_memory(folder, read_configuration(config)[0])
    chosen = spoken_language() if language == AUTO else language_named(language)
    if chosen is None:
        raise InputError(
            Sentence("There is no catalogue for the language {wanted}.", wanted=language),
            hint=Sentence("Known are {known}.", known=", ".join([AUTO, *languages()])),
        )
    if web:
        from nanobot_memory_plugins.panel.web.server import serve

        serve(folder, config, port=port, language=chosen)
        return
    _run(folder, config, chosen)


def _run(folder: Path, config: Path | None, language: str) -> None:
    # Textual takes its time to import: only who opens the panel pays for it.
    from nanobot_memory_plugins.panel.app import PanelApp
    from nanobot_memory_plugins.panel.command import is_served
    from nanobot_memory_plugins.panel.memory import PanelMemory

    if not is_served() and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError(
            "The panel needs a terminal to draw on.",
            hint="Run it in one, or use `nanobot-memory panel --web`.",
        )
    # What is logged would be drawn over the screen; the panel keeps warnings and shows them under Health.
    logger.remove()
    app = PanelApp(PanelMemory(folder, config), PanelWords(language))
    app.run()
    if app.return_code:
        raise typer.Exit(1)
