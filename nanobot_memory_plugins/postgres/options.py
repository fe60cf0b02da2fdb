"""The options of the PostgreSQL store."""

from pydantic import Field, SecretStr

from nanobot_memory_plugins.storage.options import SearchOptions


class PostgresOptions(SearchOptions):
    """The server of the shared memory and its tenant. Without a ``dsn`` everything stays on this machine.

    A dsn is a connection string or URI as every PostgreSQL client accepts it; missing parts come from the usual
    environment variables (``PGHOST``), a service file and a password file. It is never shown.
    """

    dsn: SecretStr = Field(SecretStr(""), description="How the server is reached; empty: not at all.")
    tenant: str = Field(
        "", max_length=200, description="Name of this memory among many on a server; required with a dsn."
    )
    machine: str = Field(
        "", max_length=80, pattern=r"^[\w.-]*$", description="This machine's name; made once when empty."
    )
    search_seconds: float = Field(
        0.25, gt=0, le=30, description="What a search waits for the server before this machine's index answers."
    )

    @property
    def is_shared(self) -> bool:
        """Whether a server is configured."""
        return bool(self.dsn.get_secret_value())
