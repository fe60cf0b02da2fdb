"""No memory is shared while an option is wrong: a typing error must not publish one memory to another tenant."""

import uuid
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import Health, MemoryHost, Query
from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.core.values import Note
from nanobot_memory_plugins.postgres.store import SharedStore
from tests.postgres.machines import Database, configured, rows


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"tennant": "acme"}, "tennant"),
        ({"tenant": 42}, "tenant"),
        ({"tenant": "  "}, "tenant"),
        ({"tenant": ["acme"]}, "tenant"),
        ({"tenant": "x" * 300}, "tenant"),
        ({"tenant": None}, "tenant"),
        ({}, "tenant"),
        ({"tenant": "acme", "machine": "a b"}, "machine"),
        ({"tenant": "acme", "searchSeconds": "soon"}, "searchSeconds"),
    ],
)
async def test_with_a_wrong_option_nothing_is_shared_and_doctor_names_it(
    server: Database, tmp_path: Path, options: dict[str, object], named: str
):
    MemoryWorkspace(tmp_path).note(Note("the garden gate is green"), str(uuid.uuid4()))
    config = configured(server.dsn, "", "laptop")
    postgres = {"dsn": server.dsn, **options}
    config = config.model_copy(update={"plugins": {**config.plugins, "postgres": postgres}})
    async with MemoryHost(tmp_path, config=config) as memory:
        await memory.flush_index()
        assert not isinstance(memory.store, SharedStore)
        assert (await memory.search(Query("garden gate"))).hits  # this machine's own index answers
        told = [one for one in await memory.diagnose() if one.subject == "shared memory"]
    assert [(one.health, one.state.startswith("not shared: "), named in one.state) for one in told] == [
        (Health.BAD, True, True)
    ]
    for name in ("", "acme", "default"):
        assert rows(server, name, "machine", "machine") == []
