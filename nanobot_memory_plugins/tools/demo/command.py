"""``nanobot-memory demo``: the main job, on a stock nanobot-ai, in a workspace made for it."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from nanobot_memory_plugins.bridge.model_preparation import Prepared, prepare_model
from nanobot_memory_plugins.core.cli import time_left
from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.options import print_json
from nanobot_memory_plugins.core.testing.scripted_server import Request, ScriptedServer
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr
from nanobot_memory_plugins.tools.demo import two_machines
from nanobot_memory_plugins.tools.demo.installation import (
    Installation,
    settings_for,
    settings_of_the_user,
    temporary_folder,
)
from nanobot_memory_plugins.tools.demo.scenario import STAGES, DemoModel, Stage, play, script

# The real model is small and slow: 90 prompt tokens a second on a busy machine with two processors.
_LOCAL_SECONDS = 300.0
_LOCAL_CONTEXT = 16_384

_STAGE_WORDS = (
    "remember", "observe", "restart", "recall preference", "recall tool run",
    "tell one machine", "ask the other", "edit on both at once", "forget on one", "gone on both",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Player:
    settings: dict[str, Any]
    model: DemoModel
    offline: bool
    time_limit: float
    described: str


def demo(
    local_model: Annotated[
        bool, typer.Option("--local-model", help="With a real language model on this machine, and its answers checked.")
    ] = False,
    provider_from_config: Annotated[
        bool, typer.Option("--provider-from-config", help="With the model of your own ~/.nanobot/config.json.")
    ] = False,
    store: Annotated[
        str | None,
        typer.Option(
            "--store", metavar="NAME", help="Two machines that share a memory: postgres, on a server made for it."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="End with one JSON object instead of text.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the folder of the demonstration, to look at it.")] = False,
) -> None:
    """Remember, observe a tool, restart, recall: on a stock nanobot-ai in a fresh workspace.

    Without options the language model is a script on this machine, and nothing leaves the machine. Whether a
    stage came true is read from the requests that reached the model and from the bytes on disk.
    """
    if sum((local_model, provider_from_config, store is not None)) > 1:
        raise typer.BadParameter("choose one of --local-model, --provider-from-config and --store")
    if store not in (None, "postgres"):
        raise typer.BadParameter("the store of two machines is postgres", param_hint="--store")
    out = console(stderr=as_json, wraps=True)
    folder = temporary_folder()
    stages: list[Stage] = []
    try:
        _wait_for_embedding_model(out)
        with _player(local_model, provider_from_config, out) as player:
            out.print(
                tr(
                    "A stock nanobot-ai in {folder}, with {described}.\n",
                    folder=shown(str(folder)),
                    described=player.described,
                )
            )
            for stage in _story(folder, player, store is not None):
                stages.append(stage)
                _show(out, stage)
    finally:
        if keep:
            out.print(tr("Kept: {folder}", folder=shown(str(folder))))
        else:
            shutil.rmtree(folder, ignore_errors=True)
    expected = STAGES if store is None else two_machines.STAGES
    ok = [stage.name for stage in stages if stage.ok] == list(expected)
    out.print(tr("[green]It works.[/green]") if ok else tr("[red]It does not work: see above.[/red]"))
    if as_json:
        print_json({"ok": ok, "stages": {stage.name: stage.ok for stage in stages}, "shown": _shown(stages)})
    if not ok:
        raise typer.Exit(1)


def _story(folder: Path, player: _Player, two: bool) -> Iterator[Stage]:
    """Play on one machine, or on two that share a store."""

    def machine(place: Path, memory: Mapping[str, Any]) -> Installation:
        made = Installation(place, player.settings, player.offline, player.time_limit, memory)
        made.prepare()
        return made

    if not two:
        yield from play(machine(folder, {}), player.model)
        return
    from nanobot_memory_plugins.tools.postgres_server.demo import demo_store

    with demo_store() as memory:
        laptop, desktop = machine(folder / "laptop", memory), machine(folder / "desktop", memory)
        yield from two_machines.play(laptop, desktop, player.model)


def _shown(stages: list[Stage]) -> dict[str, str]:
    return {stage.name: "\n".join(stage.shown) for stage in stages}


def _show(out: Console, stage: Stage) -> None:
    mark = "[green]✓[/green]" if stage.ok else "[red]✗[/red]"
    name = tr(stage.name) if stage.name in _STAGE_WORDS else stage.name
    out.print(f"{mark} [bold]{name}[/bold]")
    for line in map(tr, stage.shown):
        out.print(f"    {shown(line)}", style="dim", highlight=False)


@contextmanager
def _player(local_model: bool, provider_from_config: bool, out: Console) -> Iterator[_Player]:
    """Get the language model ready, and end it afterwards."""
    if provider_from_config:
        settings = settings_of_the_user()
        yield _Player(settings, DemoModel(None), False, _LOCAL_SECONDS, Sentence("the model of your own configuration"))
    elif local_model:
        with _local_model() as player:
            yield player
    else:
        with ScriptedServer([*script(), *two_machines.script()]) as server:
            settings = settings_for(server.base_url, "scripted")
            model = DemoModel(lambda: list(server.requests))
            told = Sentence("a scripted language model; nothing leaves this machine")
            yield _Player(settings, model, True, 120.0, told)


@contextmanager
def _local_model() -> Iterator[_Player]:
    from nanobot_memory_plugins.tools.local_model.file import local_model_file
    from nanobot_memory_plugins.tools.local_model.server import LocalModelServer

    with ExitStack() as opened:
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), time_left())
        with Progress(*columns, console=console(stderr=True, wraps=True)) as bar:
            task = bar.add_task("", total=1.0)

            def progress(done: float, what: str) -> None:
                bar.update(task, completed=done, description=what)

            file = local_model_file(progress=progress)
            server = opened.enter_context(LocalModelServer(file, context_tokens=_LOCAL_CONTEXT))

        def offer(names: tuple[str, ...]) -> None:
            server.tools = names

        model = DemoModel(lambda: [Request(body) for body in server.requests], offer)
        settings = settings_for(server.base_url, server.model_name, maxTokens=200, temperature=0.0)
        yield _Player(
            settings, model, True, _LOCAL_SECONDS, Sentence("a real language model ({label})", label=server.label)
        )


def _wait_for_embedding_model(out: Console) -> None:
    if prepare_model() is Prepared.FAILED:
        out.print(tr("[yellow]Without an embedding model: recall goes by words alone.[/yellow]"))
