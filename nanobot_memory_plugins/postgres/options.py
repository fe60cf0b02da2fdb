"""The options of the PostgreSQL store, as they stand in a configuration file."""

import os
from typing import Final, Self

from pydantic import Field, SecretStr, model_validator

from nanobot_memory_plugins.search.options import SearchOptions

# Variables that name a server to every PostgreSQL client, and a dsn that leaves everything to such.
_NAMES_A_SERVER: Final = ("PGHOST", "PGHOSTADDR", "PGSERVICE")
_FROM_VARIABLES: Final = "postgresql://"


class PostgresOptions(SearchOptions):
    """Which server holds the shared memory, and whose it is. Without a ``dsn`` everything stays on this machine.

    A dsn is a line of words or an address, as every PostgreSQL client takes it: what it leaves out comes from the
    usual variables (``PGHOST``), a service file and a password file. It is never shown. Variables may be there for
    another program: without a ``dsn`` they count where ``enabled`` says so.
    """

    enabled: bool = Field(
        False, description="Set to true, and without a dsn, the server is the one of PGHOST or PGSERVICE."
    )
    dsn: SecretStr = Field(SecretStr(""), description="How the server is reached; empty: not at all.")
    tenant: str = Field("default", min_length=1, max_length=200, description="Whose memory it is, of many on a server.")
    machine: str = Field(
        "", max_length=80, pattern=r"^[\w.-]*$", description="This machine's name; made once when empty."
    )
    pooler: bool = Field(False, description="A pooler in transaction mode stands before the server (PgBouncer).")
    rls: bool = Field(
        False, description="Row-level security keeps tenants apart as well; the tables have another owner."
    )
    keep_files: bool = Field(
        True, description="Transcripts and notes stay on this machine; without, they go once everybody has them."
    )
    search_seconds: float = Field(
        0.25, gt=0, le=30, description="What a search waits for the server before this machine's index answers."
    )
    large_from: int = Field(200, ge=1, description="Passages from which a tenant gets indexes of its own.")
    partitions: int = Field(16, ge=1, le=256, description="Parts of the large tables; counts when they are made.")

    @model_validator(mode="after")
    def _take_variables(self) -> Self:
        is_named = any(os.environ.get(name) for name in _NAMES_A_SERVER)
        if self.enabled and is_named and not self.dsn.get_secret_value():
            object.__setattr__(self, "dsn", SecretStr(_FROM_VARIABLES))  # as if it stood there, and set by nobody
        return self
