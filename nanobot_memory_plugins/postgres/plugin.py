"""The PostgreSQL plugin: puts the memory that many machines share before this machine's own."""

from nanobot_memory_plugins.core import PluginContext, Store, hookimpl
from nanobot_memory_plugins.postgres.options import PostgresOptions


class PostgresPlugin:
    """One memory for many machines, on a server. Without the option ``dsn`` it does nothing."""

    Options = PostgresOptions

    @hookimpl
    async def share_store(self, context: PluginContext) -> Store | None:
        """Open the shared store before the one of this machine, which stays what answers while the server is away."""
        options, local = context.options, context.store
        if not isinstance(options, PostgresOptions) or not options.dsn.get_secret_value() or local is None:
            return None
        from nanobot_memory_plugins.postgres.store import SharedStore

        return await SharedStore.open(context.workspace, options, context.clock, local, redact=context.redact_said)
