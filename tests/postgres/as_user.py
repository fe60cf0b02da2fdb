"""A memory of one system user, in a process of that user: ``python -m tests.postgres.as_user``, begun by root.

What it imports late is imported before, by doing the same once in a folder that is thrown away: the interpreter may lie
where only root comes.
"""

import asyncio
import json
import os
import pwd
import sys
import tempfile
import uuid
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import Erasure, MemoryHost, Note, Query
from nanobot_memory_plugins.core.config import config_from_mapping
from tests.postgres.test_faults import is_shared, until


def agreed_entries(folder: Path) -> dict[str, object]:
    """Return what this machine and the server both know, as the exchange of entries has written it down."""
    files = list(folder.rglob(".storage/**/entries.json"))
    return json.loads(files[0].read_text(encoding="utf-8"))["known"] if files else {}


async def live(folder: Path, order: dict[str, Any]) -> dict[str, Any]:
    """Do what is ordered, and say what was seen."""
    shared = {"dsn": order["dsn"], "tenant": order["tenant"], "machine": order["machine"], "searchSeconds": 10}
    plugins = {"storage": {"embeddingProvider": "none"}, "postgres": shared}
    config, _ = config_from_mapping({"memoryPlugins": plugins})
    entries = EntryRepository(folder)
    async with MemoryHost(folder, config=config) as memory:
        await until(lambda: is_shared(memory.store), 60)
        for text in order["notes"]:
            await memory.keep(Note(text))
        for text in order["entries"]:
            remember(entries, NewEntry(text), who="user")
        if order["forget"]:
            await memory.flush_index()
            await memory.eraser.erase(Erasure(texts=tuple(order["forget"])))
        await memory.flush_index()
        wanted = sorted(order["until_entries"])
        await until(lambda: sorted(one.content for one in entries.load().entries.values()) == wanted, 60)
        # Who ends before the server has them sends them at the next start, and nobody waits for that here.
        await until(lambda: len(agreed_entries(folder)) == len(wanted), 60)
        found = [hit.text for hit in (await memory.search(Query(order["question"]))).hits]
    return {"uid": os.geteuid(), "found": found, "can_read": can_read(Path(order["other"]))}


def can_read(folder: Path) -> bool:
    try:
        return bool(list(folder.iterdir())) or True
    except PermissionError:
        return False


def become(name: str) -> None:
    user = pwd.getpwnam(name)
    os.setgroups([])
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)


def main() -> None:
    name, folder, order = sys.argv[1], Path(sys.argv[2]), json.loads(sys.argv[3])
    with tempfile.TemporaryDirectory() as scratch:
        tried = {
            "tenant": uuid.uuid4().hex,
            "notes": ["a note"],
            "forget": ["a note"],
            "entries": [],
            "question": "note",
        }
        asyncio.run(live(Path(scratch), {**order, **tried, "until_entries": []}))
    become(name)
    sys.stdout.write(json.dumps(asyncio.run(live(folder, order))))


if __name__ == "__main__":
    main()
