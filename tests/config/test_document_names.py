"""The table of the documents' names agrees with the installed plugins."""

from functools import reduce
from importlib.util import find_spec

import pytest

from nanobot_memory_plugins.core.config.mapping import config_from_mapping
from nanobot_memory_plugins.core.config.models import MemoryConfig
from nanobot_memory_plugins.core.config.names import STANDARD_PLUGINS, document_rows
from nanobot_memory_plugins.core.config.options import plugin_options
from nanobot_memory_plugins.core.entry_points import PLUGIN_GROUP, installed_entry_points
from nanobot_memory_plugins.core.host.discovery import DiscoveredPlugin, discover_plugins
from tests.support.each import each


@pytest.fixture(scope="module")
def installed() -> dict[str, DiscoveredPlugin]:
    """The installed plugins of this project, by name; none may fail to load."""
    points = {one.name: one.value for one in installed_entry_points(PLUGIN_GROUP) if one.name in STANDARD_PLUGINS}
    names = {name for name, value in points.items() if find_spec(value.partition(":")[0]) is not None}
    there = {one.name: one for one in discover_plugins() if one.name in names}
    assert {name: one.error for name, one in there.items() if one.error} == {}
    assert "recall" in there
    return there


@pytest.mark.accept("PL-08")
@each("key", document_rows())
def test_the_option_has_the_default_of_the_table(key: str, installed: dict[str, DiscoveredPlugin]):
    row = document_rows()[key]
    plugin, *path = row["option"].split(".")
    if path == ["enabled"]:
        assert MemoryConfig().enabled(plugin) is row["default"]
        return
    default = reduce(getattr, path, installed[plugin].options_model())
    if row.get("default") == "the document's, and more":
        assert set(row["document"]) < set(default)
    else:
        assert default == row.get("default")
    assert ("document" in row) == ("reason" in row)


def test_a_problem_has_the_key_that_the_user_wrote(installed: dict[str, DiscoveredPlugin]):
    config = config_from_mapping({"memory": {"retrieval": {"maxFullDocs": "three"}}}, source="config.json")
    _, (problem,) = plugin_options(config, "recall", installed["recall"].options_model)
    assert problem.message.startswith("memory.retrieval.maxFullDocs: ")
    assert problem.source == "config.json"
