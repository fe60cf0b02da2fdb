"""Checking options against a plugin's own model."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic.alias_generators import to_camel

from nanobot_memory_plugins.core.config.mapping import config_from_mapping
from nanobot_memory_plugins.core.config.models import CoreOptions, MemoryConfig
from nanobot_memory_plugins.core.config.options import plugin_options
from tests.support.examples import examples

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


class Server(BaseModel):
    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=1, le=65_535)


class Options(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)

    recall_top_k: int = Field(default=5, ge=1)
    wait: float = Field(default=0.5, gt=0)
    mode: str = Field(default="fast", pattern="^(fast|slow)$")
    words: tuple[str, ...] = ("a",)
    server: Server = Field(default_factory=Server)


def read(raw: dict[str, Any], model: type[BaseModel] | None = Options) -> tuple[Any, list[str]]:
    options, problems = plugin_options(MemoryConfig(plugins={"mine": raw}), "mine", model)
    return options, [problem.message for problem in problems]


def test_a_missing_required_option_is_reported():
    class Needs(BaseModel):
        url: str
        tries: int = 3

    assert read({"url": "http://127.0.0.1"}, Needs)[0].url == "http://127.0.0.1"
    options, (problem,) = read({"tries": 2}, Needs)
    assert options is None
    assert problem.startswith("memoryPlugins.mine.url: ")
    options, problems = read({"url": "http://127.0.0.1", "tries": "x"}, Needs)
    assert options == Needs(url="http://127.0.0.1")
    assert len(problems) == 1


def test_a_problem_says_what_a_list_or_an_object_should_contain():
    class Nested(BaseModel):
        seconds: dict[str, float] = {}
        names: list[str] = []

    _, problems = read({"seconds": {"one": "soon"}, "names": [1]}, Nested)
    assert problems == [
        "memoryPlugins.mine.seconds: it should be an object, each value a number; the default is used.",
        "memoryPlugins.mine.names: it should be a list, each value a text; the default is used.",
    ]


def test_a_validator_that_raises_gives_the_plugin_its_defaults():
    class Breaks(BaseModel):
        name: str = ""
        size: int = 1

        @field_validator("name")
        @classmethod
        def broken(cls, value: str) -> str:
            raise KeyError(value)

    options, (problem,) = read({"name": "x", "size": 2}, Breaks)
    assert options == Breaks()
    assert "KeyError" in problem


@settings(max_examples=examples(150), deadline=None)
@given(
    raw=JSON
    | st.dictionaries(
        st.sampled_from(["core", "recall", "memory", "memoryPlugins", "context", "memory_search"]),
        JSON | st.dictionaries(st.sampled_from(["enabled", "retrieval", "message_limit", "limit", "bootstrap"]), JSON),
    )
)
def test_any_json_gives_a_valid_configuration(raw: object):
    config = config_from_mapping(raw, known_plugins=["recall"])
    assert CoreOptions.model_validate(config.core.model_dump()) == config.core
    assert isinstance(config.enabled("recall"), bool)
    assert all(problem.key and problem.message.startswith(problem.key) for problem in config.problems)
    assert all("\n" not in problem.message for problem in config.problems)
