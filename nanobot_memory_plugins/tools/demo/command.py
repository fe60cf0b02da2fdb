"""``nanobot-memory demo``: remembers and recalls on a stock nanobot-ai, in a temporary workspace."""

import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from nanobot_memory_plugins.bridge.cli.init_command import prepare_model
from nanobot_memory_plugins.core.cli.console import console, escape
from nanobot_memory_plugins.core.cli.options import print_json
from nanobot_memory_plugins.redaction.script.messages import tr
from nanobot_memory_plugins.tools.demo import scenario
from nanobot_memory_plugins.tools.demo.installation import Installation
from nanobot_memory_plugins.tools.scripted_model import ScriptedServer


def demo(
    as_json: Annotated[bool, typer.Option("--json", help="End with one JSON object instead of text.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the folder of the demonstration, to look at it.")] = False,
) -> None:
    """Remember, observe a tool, restart, recall: on a stock nanobot-ai in a fresh workspace.

    The language model is a script on this machine, and nothing leaves the machine. Whether a stage came true is read
    from the requests that reached the model and from the bytes on disk.
    """
    out = console(stderr=as_json, wraps=True)
    folder = Path(tempfile.mkdtemp(prefix="nanobot-memory-demo-"))
    stages: list[scenario.Stage] = []
    try:
        if not prepare_model():
            out.print(tr("[yellow]Without an embedding model: recall goes by words alone.[/yellow]"))
        out.print(tr("A stock nanobot-ai in {folder}, with a scripted language model.\n", folder=escape(str(folder))))
        with ScriptedServer(scenario.script()) as model:
            machine = Installation(folder, model.base_url)
            machine.prepare()
            for stage in scenario.play(machine, model):
                stages.append(stage)
                _show(out, stage)
    finally:
        if keep:
            out.print(tr("Kept: {folder}", folder=escape(str(folder))))
        else:
            shutil.rmtree(folder, ignore_errors=True)
    ok = [stage.name for stage in stages if stage.ok] == list(scenario.STAGES)
    out.print(tr("[green]It works.[/green]") if ok else tr("[red]It does not work: see above.[/red]"))
    if as_json:
        shown_texts = {stage.name: "\n".join(stage.shown) for stage in stages}
        print_json({"ok": ok, "stages": {stage.name: stage.ok for stage in stages}, "shown": shown_texts})
    if not ok:
        raise typer.Exit(1)


def _show(out: Console, stage: scenario.Stage) -> None:
    mark = "[green]✓[/green]" if stage.ok else "[red]✗[/red]"
    out.print(f"{mark} [bold]{tr(stage.name)}[/bold]")
    for line in map(tr, stage.shown):
        out.print(f"    {escape(line)}", style="dim", highlight=False)
