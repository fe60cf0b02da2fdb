"""``nanobot-memory postgres``: sends this machine's memory to the server, and counts the passages there."""

from pathlib import Path
from typing import Any

import typer

from nanobot_memory_plugins.core import ConfigurationError, MemoryConfig, StoreError
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    WorkspaceOption,
    configuration_of,
    existing_workspace,
    print_json,
    run,
)
from nanobot_memory_plugins.core.cli.plain import say
from nanobot_memory_plugins.core.cli.repair import finish_erasure
from nanobot_memory_plugins.core.host.plugin_set import PluginSet
from nanobot_memory_plugins.core.protocols import ExchangedEntries
from nanobot_memory_plugins.redaction.script.messages import tr

postgres = typer.Typer(help="Manage the memory that many machines share.", no_args_is_help=True)
_AGAIN = "Run the same command again: it resumes where it stopped."


@postgres.callback()
def _group() -> None:
    """Manage the memory that many machines share."""


@postgres.command("send")
def send(workspace: WorkspaceOption = None, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Send this machine's memory to the server, and count the passages there. Agents do so by themselves."""
    folder = existing_workspace(workspace)
    options = configuration_of(config)
    finish_erasure(folder, options)
    sent = run(_send(folder, options))
    is_left = bool(sent["unsent_bytes"] or sent["unsent_entries"])
    if as_json:
        print_json({"ok": True, **sent})
    else:
        for name, count in sent["passages"].items():
            say(tr("{machine}: {count:,} passages", machine=name, count=count))
        if is_left:
            remaining = tr(
                "{bytes:,} bytes and {count:,} entries of {machine} are not sent; `nanobot-memory doctor` says why.",
                bytes=sent["unsent_bytes"],
                count=sent["unsent_entries"],
                machine=sent["machine"],
            )
            say(remaining)
    if is_left:
        raise typer.Exit(1)


async def _send(workspace: Path, config: MemoryConfig) -> dict[str, Any]:
    """Send this machine's files and entries to the server, and return the passages there and what remains unsent.

    Raises `ConfigurationError` when the memory is not shared, and `StoreError` while the server is away.
    """
    from nanobot_memory_plugins.postgres.store import SharedStore

    async with PluginSet(workspace, config=config) as plugins:
        store, entries = plugins.store, plugins.entries
        if not isinstance(store, SharedStore):
            raise ConfigurationError(
                "This memory is not shared: postgres needs the options dsn and tenant, and no wrong one.",
                hint='`nanobot-memory config set postgres.dsn "host=... dbname=memory user=memory"` and'
                " `nanobot-memory config set postgres.tenant us` set them.",
            )
        await store.wait_until_reachable()
        unsent = await store.entries.exchange_all(entries) if isinstance(entries, ExchangedEntries) else 0
        await store.flush()  # the exchange may have changed the file of entries
        passages = await store.passages()
        if passages is None:
            raise StoreError(store.status().reason, hint=store.status().hint or _AGAIN)
        if unsent is None:
            raise StoreError("Another process of this machine exchanges entries, and does not end.", hint=_AGAIN)
        return {
            "machine": store.owner.machine,
            "unsent_bytes": store.status().unsent_bytes or 0,
            "unsent_entries": unsent,
            "passages": passages,
        }
