"""The two moves of a memory, each alone, compared at its end, and then told to the configuration."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from filelock import Timeout

from nanobot_memory_plugins.core import ConfigurationError, InputError, MemoryConfig, StoreError, SystemClock
from nanobot_memory_plugins.core.cli import opened_entries
from nanobot_memory_plugins.core.config import plugin_options, set_plugin_options
from nanobot_memory_plugins.core.files import MemoryPaths, make_missing, private_lock
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.protocols import ExchangedEntries, VectorStore
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.postgres.database.connection import Connection, connect
from nanobot_memory_plugins.postgres.database.tenant import Tenant, TenantOwner
from nanobot_memory_plugins.postgres.entry_exchange import EntryExchange
from nanobot_memory_plugins.postgres.machine import machine_name
from nanobot_memory_plugins.postgres.moving.away import bring
from nanobot_memory_plugins.postgres.moving.comparing import Comparison, compared_with_server
from nanobot_memory_plugins.postgres.options import PostgresOptions
from nanobot_memory_plugins.postgres.sending import AGAIN, sent_with_entries
from nanobot_memory_plugins.postgres.store import SharedStore
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr
from nanobot_memory_plugins.search.sources.pieces import Chunking
from nanobot_memory_plugins.search.sources.places import Places

T = TypeVar("T")

# How often an agent may write while both sides are compared.
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class MoveReport:
    """What a move came to: how many things, one hash over them, and the configuration that was changed, if any."""

    machine: str
    count: int
    digest: str
    config: Path | None


async def move_to_postgres(
    workspace: Path,
    config: MemoryConfig,
    file: Path | None,
    *,
    dsn: str,
    tenant: str,
    told: Callable[[str], None],
) -> MoveReport:
    """Send everything of this machine to the server, compare, and switch the shared store on.

    Raises `ConfigurationError` without a server, `InputError` while another move runs, and `StoreError` where the
    server is away or both sides differ.
    """
    given = {name: value for name, value in {"dsn": dsn, "tenant": tenant}.items() if value}
    shared = {**config.plugins.get("postgres", {}), **given, "enabled": True}
    chosen = config.model_copy(update={"plugins": {**config.plugins, "postgres": shared}})
    options = shared_options(chosen)
    paths = MemoryPaths.of(workspace)
    with _alone(paths):
        whose = TenantOwner(Tenant.named(options.tenant), options.tenant, machine_name(paths, options.machine))
        async with opened_entries(workspace, chosen) as (store, entries):
            if not isinstance(store, SharedStore):
                raise ConfigurationError(
                    "The plugin postgres is not loaded.", hint="See `nanobot-memory plugins` for what is."
                )
            for _ in range(_ATTEMPTS):
                unsent, _ = await sent_with_entries(
                    store, entries, lambda bytes_: told(tr("{bytes:,} bytes are not sent yet", bytes=bytes_))
                )
                if isinstance(store, VectorStore):
                    await store.vectors_complete(lambda _status, _report: None)
                compared = await run_in_daemon_thread(
                    lambda: _with_server(options, whose, lambda one: _compared(one, whose, paths, config))
                )
                is_same = compared.is_same or (not options.keep_files and compared.here <= compared.there)
                if is_same and not unsent:
                    break
            else:
                if is_same:
                    raise StoreError(
                        Sentence("{count:,} entries are not on the server as they are here.", count=unsent),
                        hint="Start the agent once, or see `nanobot-memory doctor`, then run the same again.",
                    )
                raise StoreError(
                    Sentence(
                        "Both sides differ: {missing:,} are missing on the server, {more:,} are too many.",
                        missing=len(compared.here - compared.there),
                        more=len(compared.there - compared.here),
                    ),
                    hint="The agent may be writing: stop it, then run the same again.",
                )
        changed = _configured(config, file, {**given, "enabled": True})
    return MoveReport(whose.machine, len(compared.here), compared.digest, changed)


async def move_to_sqlite(
    workspace: Path, config: MemoryConfig, file: Path | None, *, told: Callable[[str], None]
) -> MoveReport:
    """Bring what other machines sent into this machine's files, compare, and switch the shared store off.

    Raises what `move_to_postgres` raises.
    """
    options = shared_options(config)
    paths = MemoryPaths.of(workspace)
    with _alone(paths):
        whose = TenantOwner(Tenant.named(options.tenant), options.tenant, machine_name(paths, options.machine))
        compared = await run_in_daemon_thread(
            lambda: _with_server(
                options,
                whose,
                lambda one: bring(
                    one,
                    whose,
                    paths,
                    _chunking(config),
                    own=not options.keep_files,
                    progress=lambda done, total: told(tr("{done:,} of {total:,} records", done=done, total=total)),
                ),
            )
        )
        if not compared.is_same:
            raise StoreError(
                Sentence(
                    "Both sides differ: {missing:,} are missing in the files here, {more:,} are too many.",
                    missing=len(compared.there - compared.here),
                    more=len(compared.here - compared.there),
                ),
                hint=AGAIN,
            )
        alone = config.model_copy(
            update={"plugins": {**config.plugins, "postgres": {**config.plugins.get("postgres", {}), "enabled": False}}}
        )
        async with opened_entries(workspace, alone) as (store, entries):
            if isinstance(entries, ExchangedEntries):
                await _take_entries(options, whose, paths, entries)
            await store.flush()
        changed = _configured(config, file, {"enabled": False})
    return MoveReport(whose.machine, len(compared.here), compared.digest, changed)


async def _take_entries(
    options: PostgresOptions, whose: TenantOwner, paths: MemoryPaths, entries: ExchangedEntries
) -> None:
    """Take in what became of entries elsewhere while nothing ran here. Raises `StoreError`."""

    async def ask(function: Callable[[Connection], T]) -> T:
        return await run_in_daemon_thread(lambda: _with_server(options, whose, function))

    if await EntryExchange(whose, paths.index_folder, ask).settle(entries) is None:
        raise StoreError("Another process of this machine exchanges entries, and does not end.", hint=AGAIN)


def shared_options(config: MemoryConfig) -> PostgresOptions:
    """Return the options of a shared store. Raises `ConfigurationError` where no server is named."""
    options, _ = plugin_options(config, "postgres", PostgresOptions)
    if not isinstance(options, PostgresOptions) or not options.dsn.get_secret_value():
        raise ConfigurationError(
            "No server is named.",
            hint="Give --dsn and --tenant, or set them: memoryPlugins.postgres.dsn, memoryPlugins.postgres.tenant.",
        )
    return options


@contextmanager
def _alone(paths: MemoryPaths) -> Iterator[None]:
    """Let one move of a memory run at a time."""
    make_missing(paths.index_folder)
    lock = private_lock(paths.index_folder / "move.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise InputError("Another move of this memory is running.", hint="Wait for its end.") from error
    try:
        yield
    finally:
        lock.release(force=True)


def _with_server(options: PostgresOptions, whose: TenantOwner, function: Callable[[Connection], T]) -> T:
    tenant = whose.tenant.id if options.rls else None
    connection = connect(options.dsn.get_secret_value(), pooler=options.pooler, tenant=tenant)
    try:
        return function(connection)
    finally:
        connection.close()


def _compared(connection: Connection, whose: TenantOwner, paths: MemoryPaths, config: MemoryConfig) -> Comparison:
    return compared_with_server(connection, whose, Places(paths), _chunking(config), SystemClock().now())


def _chunking(config: MemoryConfig) -> Chunking:
    return Chunking(redact=ContactRedaction(config.redaction.contacts).of_people)


def _configured(config: MemoryConfig, file: Path | None, values: dict[str, object]) -> Path | None:
    """Write the options where the configuration stands; None where there is no file."""
    path = file or (Path(config.source) if config.source else None)
    if path is None or not path.is_file():
        return None
    set_plugin_options(path, {"postgres": values})
    return path
