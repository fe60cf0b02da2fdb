"""Whose rows they are: a tenant's number, and the hashes that are its own.

Terms and keys are hashed with the tenant's number. So one index over the terms of all tenants finds nobody else's rows,
and writing the same passage again changes nothing.
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from uuid import UUID, uuid5

# Of all tenants: their numbers are made of their names, by every machine alike.
_NAMESPACE: Final = UUID("6f7b1a0e-6e0c-5d0e-9a52-1b1d6f0c8a11")
DIMENSIONS: Final = 1_000_000_000
"""Of the vectors that hold the weights of terms."""
_MOST_KEPT = 200_000


@dataclass(frozen=True, slots=True)
class Tenant:
    """One memory of many on a server, by its number."""

    id: UUID

    @classmethod
    def named(cls, name: str) -> "Tenant":
        """Return the tenant of a name."""
        return cls(uuid5(_NAMESPACE, name))

    def term(self, term: str) -> int:
        """Return the hash of a term, as PostgreSQL's bigint."""
        return _hashed(self.id.bytes, term)

    def chunk(self, machine: str, key: str) -> int:
        """Return the id of a passage, by its machine and its key there; never 0, which is no passage."""
        return _hash(self.id.bytes, f"{machine}\0{key}") or 1


@dataclass(frozen=True, slots=True)
class TenantOwner:
    """The tenant and the machine that something is of, and the tenant's name for people."""

    tenant: Tenant
    name: str
    machine: str


def dimension(hashed: int) -> int:
    """Return where the weight of a hashed term stands in a vector, from 1."""
    return hashed % DIMENSIONS + 1


@lru_cache(maxsize=_MOST_KEPT)
def _hashed(salt: bytes, text: str) -> int:
    return _hash(salt, text)


def _hash(salt: bytes, text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), key=salt, digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
