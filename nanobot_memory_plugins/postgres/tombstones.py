"""What was forgotten for good on all machines, kept on this one by ids alone: a server that has lost it gets it again.

It stands in ``memory/.erasure/shared.json``, beside the fingerprints, and not with the index, which may be deleted.
"""

import json
import os
import uuid

from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.core.files import MemoryPaths, private_folder, private_lock
from nanobot_memory_plugins.postgres.database import covered, forgetting
from nanobot_memory_plugins.postgres.database.connection import Connection, plain_errors
from nanobot_memory_plugins.postgres.database.covered import Covered
from nanobot_memory_plugins.postgres.database.tenant import TenantOwner

_FOLDER, _FILE = ".erasure", "shared.json"
_LOCK_SECONDS = 10.0


class ServerTombstones:
    """The orders of one tenant that this machine has carried out. Everything here blocks."""

    def __init__(self, whose: TenantOwner, paths: MemoryPaths) -> None:
        self._whose = whose
        self._memory = paths.memory
        self._file = paths.memory / _FOLDER / _FILE
        self._warned = False

    def bring(self, connection: Connection) -> bool:
        """Let this machine and the server know the same orders; return whether the server had lost any.

        Raises `StoreError`.
        """
        with plain_errors():
            there = covered.carried_out(connection, self._whose)
            here = self._read()
            lost = {number: what for number, what in here.items() if number not in there}
            for number, what in lost.items():
                forgetting.order_again(connection, self._whose, number, what)
            for number in here.keys() & there.keys():
                if not there[number]:  # another machine gave the order back
                    forgetting.obeyed(connection, self._whose, number)
            new = [number for number, is_done in there.items() if is_done and number not in here]
            if new:
                self._keep(covered.of_orders(connection, self._whose, new))
        if lost:
            logger.warning(
                "the server had lost {} orders to forget something, and has them again: it is not what it was",
                len(lost),
            )
        return bool(lost)

    def _read(self) -> dict[uuid.UUID, Covered]:
        try:
            values = json.loads(self._file.read_text(encoding="utf-8"))
            own = values.get(self._whose.tenant.id.hex, {})
            return {uuid.UUID(number): Covered.read(what) for number, what in own.items()}
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return {}

    def _keep(self, orders: dict[uuid.UUID, Covered]) -> None:
        from filelock import Timeout

        try:
            self._add(orders)
        except (OSError, Timeout) as error:
            if not self._warned:
                self._warned = True
                logger.warning("what was forgotten on all machines cannot be kept here: {}", type(error).__name__)

    def _add(self, orders: dict[uuid.UUID, Covered]) -> None:
        private_folder(self._file.parent, below=self._memory)
        with private_lock(self._file.with_name(f".{_FILE}.lock"), timeout=_LOCK_SECONDS):
            try:
                values = json.loads(self._file.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                values = {}
            values = values if isinstance(values, dict) else {}
            own = {number.hex: what.written for number, what in {**self._read(), **orders}.items()}
            values[self._whose.tenant.id.hex] = own
            temporary = self._file.with_name(f".{_FILE}.tmp")
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            with os.fdopen(os.open(temporary, flags, 0o600), "w", encoding="utf-8") as file:
                file.write(json.dumps(values))
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self._file)
