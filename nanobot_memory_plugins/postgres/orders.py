"""Forgetting on all machines: an order is given, carried out by each, and kept by all that have done so."""

from collections.abc import Callable
from uuid import UUID

from nanobot_memory_plugins.core.erasure.matching import Wanted
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.postgres.database import forgetting
from nanobot_memory_plugins.postgres.database.connection import Connection
from nanobot_memory_plugins.postgres.database.covered import Covered
from nanobot_memory_plugins.postgres.database.tenant import TenantOwner
from nanobot_memory_plugins.postgres.questions import Ask
from nanobot_memory_plugins.postgres.tombstones import ServerTombstones


class Orders:
    """What the machines of a tenant tell each other to forget, on behalf of one of them.

    ``ask`` asks the server; ``look_through`` does, too, and waits until it has looked at everything that is shared.
    ``send_again`` is called when the files of this machine are to be compared with the server anew.
    """

    def __init__(
        self, whose: TenantOwner, paths: MemoryPaths, ask: Ask, look_through: Ask, send_again: Callable[[], None]
    ) -> None:
        self._whose = whose
        self._ask = ask
        self._look_through = look_through
        self._send_again = send_again
        self._tombstones = ServerTombstones(whose, paths)
        self._covers = (Erasure(), Covered())

    async def held(self, erasure: Erasure) -> dict[str, int] | None:
        """Return in how many passages something stands, by machine; None where the server cannot be asked."""
        wanted = Wanted(erasure.texts, words=erasure.words, nearly=erasure.nearly)
        found = await self._look_through(lambda connection: forgetting.held(connection, self._whose, wanted))
        if found is None:
            return None
        # Carried out, this machine's own may be clean on the server before the order comes to it.
        own = found.get(self._whose.machine, ())
        covers = await self._ask(lambda connection: forgetting.covered_by(connection, self._whose, own))
        self._covers = (erasure, covers or Covered())
        return {machine: len(ids) for machine, ids in found.items()}

    async def give(self, erasure: Erasure) -> dict[str, int] | None:
        """Have every machine forget something; return how many passages went, or None where the server is away."""
        meant, also = self._covers
        also = also if meant == erasure else Covered()
        done = await self._look_through(lambda connection: forgetting.order(connection, self._whose, erasure, also))
        await self.remember()
        return done

    async def waiting(self) -> list[tuple[UUID, Erasure]]:
        """Return what other machines have ordered this one to forget; nothing where the server is away."""
        return await self._ask(lambda connection: forgetting.orders(connection, self._whose)) or []

    async def obeyed(self, number: UUID) -> None:
        """Say that an order was carried out here; then this machine's files are sent again."""
        await self._ask(lambda connection: forgetting.obeyed(connection, self._whose, number))
        await self.remember()
        self._send_again()

    async def remember(self) -> None:
        """Keep here what was carried out, and give a server that has lost it the order again."""
        if await self._ask(self.bring):
            self._send_again()

    def bring(self, connection: Connection) -> bool:
        """Do so with a connection, in the caller's thread; return whether the server had lost any.

        Raises `StoreError`.
        """
        return self._tombstones.bring(connection)
