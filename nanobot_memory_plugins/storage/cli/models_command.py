"""``nanobot-memory models``: lists, installs and finds embedding models."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, Any

import typer
from rich.progress import Progress

from nanobot_memory_plugins.core.cli.console import console, escape
from nanobot_memory_plugins.core.cli.options import print_json
from nanobot_memory_plugins.core.cli.plain import say, say_notice
from nanobot_memory_plugins.core.errors import EmbeddingError
from nanobot_memory_plugins.redaction.script.messages import tr
from nanobot_memory_plugins.storage.embedding.catalogue import (
    ALIASES,
    DEFAULT_MODEL,
    Model,
    ModelOrigin,
    find_model,
    hub_models,
    pull,
    size_on_disk,
)

models = typer.Typer(help="List, fetch and find embedding models.", no_args_is_help=True)

_MEGABYTE = 1_000_000
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
_Name = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="An alias, a name of fastembed's catalogue, or a folder.",
        autocompletion=lambda incomplete: [name for name in sorted(ALIASES) if name.startswith(incomplete)],
    ),
]


@models.command("list")
def list_models(as_json: _Json = False) -> None:
    """List the aliases and the other models that are on this machine."""
    rows = list(_rows())
    if as_json:
        print_json({"ok": True, "models": rows})
        return
    out = console()
    width = max((len(row["alias"] or "") for row in rows), default=0)
    for row in rows:
        size = f", {row['size_bytes'] / _MEGABYTE:.0f} MB" if row["size_bytes"] else ""
        size_text = size if row["folder"] else tr(", not on this machine")
        name = escape((row["alias"] or "").ljust(width))
        origin = tr(row["origin"])
        out.print(f"[bold]{name}[/bold]  {escape(row['model'])} ({origin}{size_text})")
        if row["folder"]:
            out.print(f"{' ' * width}  [dim]{escape(row['folder'])}[/dim]")
    for note in sorted({row["note"] for row in rows if row["note"]}):
        say_notice(tr(note))


@models.command("pull")
def pull_model(name: _Name = DEFAULT_MODEL, as_json: _Json = False) -> None:
    """Build the built-in model, or fetch another one from the hub."""
    # The hub's library shows its own progress bars while it downloads.
    is_built = find_model(name).origin is ModelOrigin.BUILTIN
    with Progress(console=console(stderr=True, wraps=True)) as bars:
        bar = bars.add_task(tr("the built-in model"), total=None, visible=is_built)
        model = pull(name)
        bars.update(bar, total=1, completed=1)
    if as_json:
        print_json({"ok": True, **_description(model)})
    else:
        say(tr("{name} is in {folder}", name=model.name, folder=model.folder))


def _rows() -> Iterator[dict[str, Any]]:
    for alias, name in ALIASES.items():
        try:
            yield {"alias": alias, **_description(find_model(alias)), "note": ""}
        except EmbeddingError as error:  # fastembed, which has the catalogue, is not installed
            yield {"alias": alias, **_description(Model(name, ModelOrigin.HUB, None, "")), "note": str(error)}
    with suppress(EmbeddingError):  # as above; the notes report it
        for hub in hub_models():
            model = find_model(hub.name)
            if model.folder is not None and hub.name not in ALIASES.values():
                yield {"alias": None, **_description(model), "note": ""}


def _description(model: Model) -> dict[str, Any]:
    return {
        "model": model.name,
        "origin": model.origin.value,
        "installed": model.folder is not None,
        "folder": None if model.folder is None else str(model.folder),
        "size_bytes": None if model.folder is None else size_on_disk(model.folder),
    }
