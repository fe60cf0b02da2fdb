"""``nanobot-memory demo``: the main job, on a stock nanobot-ai, in a workspace made for it."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from nanobot_memory_plugins.bridge.cli.init_command import prepare_model
from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.options import print_json
from nanobot_memory_plugins.redaction.script.messages import tr
from nanobot_memory_plugins.tools.demo import scenario, two_machines
from nanobot_memory_plugins.tools.demo.installation import Installation
from nanobot_memory_plugins.tools.scripted_model import ScriptedServer

_STAGE_WORDS = (
    "remember", "observe", "restart", "recall preference", "recall tool run",
    "tell one machine", "ask the other", "forget on one", "gone on both",
)  # fmt: skip


def demo(
    store: Annotated[
        Literal["postgres"] | None,
        typer.Option("--store", help="Two machines that share a memory: postgres, on a server made for it."),
    ] = None,
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
        out.print(tr("A stock nanobot-ai in {folder}, with a scripted language model.\n", folder=shown(str(folder))))
        with ScriptedServer([*scenario.script(), *two_machines.script()]) as model:
            for stage in _story(folder, model, shares=store is not None):
                stages.append(stage)
                _show(out, stage)
    finally:
        if keep:
            out.print(tr("Kept: {folder}", folder=shown(str(folder))))
        else:
            shutil.rmtree(folder, ignore_errors=True)
    expected = scenario.STAGES if store is None else two_machines.STAGES
    ok = [stage.name for stage in stages if stage.ok] == list(expected)
    out.print(tr("[green]It works.[/green]") if ok else tr("[red]It does not work: see above.[/red]"))
    if as_json:
        shown_texts = {stage.name: "\n".join(stage.shown) for stage in stages}
        print_json({"ok": ok, "stages": {stage.name: stage.ok for stage in stages}, "shown": shown_texts})
    if not ok:
        raise typer.Exit(1)


def _story(folder: Path, model: ScriptedServer, *, shares: bool) -> Iterator[scenario.Stage]:
    """Play on one machine, or on two that share a store."""

    def machine(place: Path, memory: Mapping[str, Any]) -> Installation:
        made = Installation(place, model.base_url, memory)
        made.prepare()
        return made

    if not shares:
        yield from scenario.play(machine(folder, {}), model)
        return
    from nanobot_memory_plugins.tools.postgres_server.server import demo_store

    with demo_store() as memory:
        yield from two_machines.play(machine(folder / "laptop", memory), machine(folder / "desktop", memory), model)


def _show(out: Console, stage: scenario.Stage) -> None:
    mark = "[green]✓[/green]" if stage.ok else "[red]✗[/red]"
    name = tr(stage.name) if stage.name in _STAGE_WORDS else stage.name
    out.print(f"{mark} [bold]{name}[/bold]")
    for line in map(tr, stage.shown):
        out.print(f"    {shown(line)}", style="dim", highlight=False)
