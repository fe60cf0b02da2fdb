"""The table of the documents' names is true of the plugins that are installed."""

from functools import reduce
from importlib.util import find_spec
from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic.alias_generators import to_snake

from nanobot_memory_plugins.core.config.mapping import config_from_mapping
from nanobot_memory_plugins.core.config.models import MemoryConfig
from nanobot_memory_plugins.core.config.names import DOCUMENT_NAMES, STANDARD_PLUGINS, document_rows
from nanobot_memory_plugins.core.config.options import plugin_options
from nanobot_memory_plugins.core.entry_points import PLUGIN_GROUP, installed_entry_points
from nanobot_memory_plugins.core.host.discovery import DiscoveredPlugin, discover_plugins
from tests.support.each import each


@pytest.fixture(scope="module")
def installed() -> dict[str, DiscoveredPlugin]:
    """Return the plugins of this project that are there, by name; one that cannot be loaded is a failure."""
    points = {one.name: one.value for one in installed_entry_points(PLUGIN_GROUP) if one.name in STANDARD_PLUGINS}
    names = {name for name, value in points.items() if find_spec(value.partition(":")[0]) is not None}
    there = {one.name: one for one in discover_plugins() if one.name in names}
    assert {name: one.error for name, one in there.items() if one.error} == {}
    assert "recall" in there
    return there


def default_of(plugin: DiscoveredPlugin, path: list[str]) -> Any:
    return reduce(getattr, path, plugin.options_model())


@pytest.mark.accept("PL-08")
@each("key", DOCUMENT_NAMES)
def test_the_option_exists_with_the_default_of_the_table(key: str, installed: dict[str, DiscoveredPlugin]):
    row = document_rows()[key]
    plugin, *path = row["option"].split(".")
    if path == ["enabled"]:
        assert MemoryConfig().enabled(plugin) is row["default"]
        return
    default = default_of(installed[plugin], path)
    if row.get("default") == "the document's, and more":
        assert set(row["document"]) < set(default)
    else:
        assert default == row.get("default")
    assert ("document" in row) == ("reason" in row)


@pytest.mark.accept("V3-20")
@pytest.mark.parametrize("camel", [True, False])
def test_the_documents_values_arrive_in_the_plugins_own_options(camel: bool, installed: dict[str, DiscoveredPlugin]):
    """Set every documented option to another value than its default, and find it in the plugin's options."""
    for key, option in DOCUMENT_NAMES.items():
        plugin, *path = option.split(".")
        if plugin not in installed or path == ["enabled"]:
            continue
        model = installed[plugin].options_model
        value = another(default_of(installed[plugin], path), model.model_fields[path[0]].annotation)
        keys = key.split(".")
        if not camel:
            keys = [to_snake(part) for part in keys]
        raw = reduce(lambda inner, part: {part: inner}, reversed(keys), value)
        config, problems = config_from_mapping(raw, known_plugins=STANDARD_PLUGINS)
        options, more = plugin_options(config, plugin, model)
        assert problems + more == []
        assert reduce(getattr, path, options) == value, key


def another(default: Any, annotation: Any) -> Any:
    """Return a value that an option of this kind accepts too; its default where there is no other."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)[-1]
    if isinstance(default, bool):
        return not default
    if isinstance(default, tuple):
        return ("其他",)
    if isinstance(default, str) or str in get_args(annotation):
        return "other"
    if isinstance(default, float) and default < 1:
        return default / 2
    return (default or 0) + 1


def test_a_wrong_documented_value_is_named_as_the_user_wrote_it(installed: dict[str, DiscoveredPlugin]):
    config, _ = config_from_mapping({"memory": {"retrieval": {"maxFullDocs": "three"}}}, source="config.json")
    _, (problem,) = plugin_options(config, "recall", installed["recall"].options_model)
    assert problem.message.startswith("memory.retrieval.maxFullDocs: ")
    assert problem.source == "config.json"
