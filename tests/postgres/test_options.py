"""No memory is shared while an option is wrong: a typing error must not publish one memory to another tenant."""

import uuid
from pathlib import Path

from nanobot_memory_plugins.core import Health, MemoryHost, Note, Query
from nanobot_memory_plugins.core.config.mapping import config_from_mapping
from nanobot_memory_plugins.core.config.options import plugin_options
from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.postgres.options import PostgresOptions
from nanobot_memory_plugins.postgres.plugin import refusal
from nanobot_memory_plugins.postgres.store import SharedStore
from tests.postgres.machines import Database, configured, rows

WRONG: list[tuple[dict[str, object], str]] = [
    ({"tennant": "acme"}, "tennant"),
    ({"tenant": 42}, "tenant"),
    ({"tenant": "  "}, "tenant"),
    ({"tenant": ["acme"]}, "tenant"),
    ({"tenant": "x" * 300}, "tenant"),
    ({"tenant": None}, "tenant"),
    ({}, "tenant"),
    ({"tenant": "acme", "machine": "a b"}, "machine"),
    ({"tenant": "acme", "searchSeconds": "soon"}, "searchSeconds"),
]


def test_every_wrong_option_is_named():
    for given, named in [*WRONG, ({"tenant": "acme"}, "")]:
        config = config_from_mapping({"memoryPlugins": {"postgres": {"dsn": "host=x", **given}}})
        options, problems = plugin_options(config, "postgres", PostgresOptions)
        assert isinstance(options, PostgresOptions)
        refused = refusal(options, tuple(problem.message for problem in problems))
        assert (named in refused) if named else not refused, given


async def test_with_a_wrong_option_nothing_is_shared_and_doctor_names_it(server: Database, tmp_path: Path):
    MemoryWorkspace(tmp_path).note(Note("the garden gate is green"), str(uuid.uuid4()))
    async with MemoryHost(tmp_path, config=configured(server.dsn, "acme", "laptop", tennant="acme")) as memory:
        await memory.flush_index()
        assert not isinstance(memory.store, SharedStore)
        assert (await memory.search(Query("garden gate"))).hits  # this machine's own index answers
        told = [one for one in await memory.diagnose() if one.subject == "shared memory"]
    assert [(one.health, "not shared: " in one.state, "tennant" in one.state) for one in told] == [
        (Health.BAD, True, True)
    ]
    for name in ("", "acme", "default"):
        assert rows(server, name, "machine", "machine") == []
