"""Options in both spellings and by the documents' names; a wrong one is reported and does not affect the others."""

import json
import re
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, load_config
from tests.behaviour.kit.command import option, run
from tests.behaviour.kit.life import Conversation, Life

COFFEE = """
from pydantic import BaseModel, Field
from nanobot_memory_plugins.core import ContextBlock, hookimpl

class Machine(BaseModel):
    bar: int = Field(default=9, ge=1, le=15)

class Options(BaseModel):
    cup_size: int = Field(default=1, ge=1)
    strength: float = Field(default=0.5, gt=0)
    name: str = "espresso"
    machine: Machine = Machine()

@hookimpl
def on_message_received(context):
    made = context.options
    return ContextBlock(f"{made.cup_size} x {made.name}, {made.strength}, {made.machine.bar} bar")
"""
# Keys of the five documents, by the object that they stand in (row PL-08).
DOCUMENTED = {
    "memory": "enabled embeddingModel recallTimeout recallTopK maxContextTokens chunkMaxTokens vectorWeight ftsWeight"
    " summaryInterval summaryMode summaryLlmProvider observationMaxAgeDays indexQueueMax vectorRefreshTtl dbPath"
    " enableObservations enableSummaries summaryMinTurns",
    "memory.retrieval": "limit maxFullDocs maxSnippets rrfK maxContextChars",
    "memory_search": "enabled backend enable_probe_on_off",
    "memory_search.tiers": "light_top_k heavy_top_k heavy_max_snippet_chars inject_budget_chars",
    "memory_search.routing": "explicit_anchors uncertain_markers",
    "memory_search.timeouts": "probe_ms light_ms heavy_ms",
    "memory_flush": "enabled reserve_floor soft_threshold",
    "context.bootstrap": "max_chars total_max_chars head_ratio tail_ratio min_budget",
}


def configured(folder: Path, content: object) -> tuple[MemoryConfig, list[str]]:
    file = folder / "given.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    config = load_config(file)
    return config, [problem.message for problem in config.problems]


async def brewed(life: Life, coffee: dict[str, object]) -> str:
    config, _ = configured(life.folder, {"memoryPlugins": {"coffee": coffee, "core": {"messageLimit": 60}}})
    async with MemoryHost(life.workspace, config=config) as memory:
        return await Conversation(memory).turn("hello")


@pytest.mark.accept("PL-03")
async def test_wrong_options_are_reported_and_only_they_fall_back_to_defaults(life_without_model: Life, install):
    life = life_without_model
    install("coffee", COFFEE, alone=True)
    assert "3 x latte, 0.9, 9 bar" in await brewed(life, {"cupSize": 3, "name": "latte", "strength": 0.9})
    assert "2 x espresso, 0.5, 12 bar" in await brewed(life, {"cup_size": 2, "machine": {"bar": 12}})
    wrong = {"cupSize": "secret-many", "strength": float("nan"), "nam": "x", "name": "latte", "machine": {"bar": 99}}
    assert "1 x latte, 0.5, 9 bar" in await brewed(life, wrong)
    file = life.folder / "given.json"
    said = run("plugins", "--json", workspace=life.workspace, config=file).json["problems"]
    told = {match[1]: str(one) for one in said if (match := re.search(r"memoryPlugins\.coffee\.([\w.]+)", str(one)))}
    assert told.keys() == {"cupSize", "strength", "nam", "machine.bar"}
    assert '"name"' in told["nam"].replace("\\", "")
    assert "secret-many" not in json.dumps(said)
    doctor = run("doctor", "--json", workspace=life.workspace, config=file)
    assert doctor.out.count("memoryPlugins.coffee.cupSize: ") == 1


WRONG = (
    ({"memoryPlugins": {"recal": {}}}, "memoryPlugins.recal", "recall"),
    ({"memoryPlugins": {"core": {"mesageLimit": 1}}}, "memoryPlugins.core.mesageLimit", "messageLimit"),
    ({"memoryPlugins": {"core": {"messageLimit": -1}}}, "memoryPlugins.core.messageLimit", ""),
    ('{"memoryPlugins": {"core": {"messageLimit": NaN}}}', "memoryPlugins.core.messageLimit", ""),
    ('{"memoryPlugins": {"core": {"idleSeconds": 1e999}}}', "memoryPlugins.core.idleSeconds", ""),
    ({"memoryPlugins": {"embeddingModel": "x"}}, "memoryPlugins.embeddingModel", "storage.embeddingModel"),
    ({"memory": {"embedingModel": "x", "recallTopK": 3}}, "memory.embedingModel", "embeddingModel"),
    ({"memoryPlugins": [1]}, "memoryPlugins", ""),
    ({"memoryPlugins": {}, "agents": {}}, "memoryPlugins", "channels"),
    ({"channels": {"memoryPlugns": {}}, "agents": {}}, "channels.memoryPlugns", "memoryPlugins"),
    ('{"memoryPlugins": {', "", "JSON"),
    ("[" * 100_000, "", "nested"),
)


@pytest.mark.accept("PL-03")
async def test_a_problem_names_its_key_and_the_nearest_one(life_without_model: Life, monkeypatch: pytest.MonkeyPatch):
    configs = []
    for content, key, near in WRONG:
        config, (said,) = configured(life_without_model.folder, content)
        assert key in said
        assert near in said
        configs.append(config)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "observation")  # core's own limits are what is wrong
    for config in configs:
        async with MemoryHost(life_without_model.workspace, config=config) as memory:
            assert (await memory.message_received(session_key="a", text="hello")).receipt.stored


@pytest.mark.accept("V3-20", "PL-08")
@pytest.mark.parametrize("snake", [False, True])
def test_every_key_of_the_documents_is_accepted(life_without_model: Life, snake: bool):
    for place, keys in DOCUMENTED.items():
        for key in keys.split():
            name = re.sub(r"[A-Z]", lambda match: f"_{match[0].lower()}", key) if snake else key
            content: object = {name: "no such value, nor a number"}
            for part in reversed(place.split(".")):
                content = {part: content}
            config, problems = configured(life_without_model.folder, content)
            assert not any("no such option" in problem for problem in problems), (place, name)
    example = {
        "memory": {
            "embeddingModel": "multilingual",
            "enableObservations": False,
            "summaryMinTurns": 4,
            "retrieval": {"limit": 8, "rrfK": 50, "maxContextChars": 3000},
        }
    }
    if snake:
        text = re.sub(
            r'"(\w+)":', lambda key: re.sub(r"[A-Z]", lambda one: f"_{one[0].lower()}", key[0]), json.dumps(example)
        )
        example = json.loads(text)
    config, problems = configured(life_without_model.folder, example)
    assert problems == []
    assert not config.enabled("observation")
    file = life_without_model.folder / "given.json"
    for name, value in {"storage.rrfK": 50, "storage.embeddingModel": "multilingual", "recall.recallTopK": 8}.items():
        assert option(name, config=file) == value


def test_the_section_is_read_from_its_own_file_and_from_nanobots(life_without_model: Life):
    section = {"recall": {"enabled": False}, "core": {"messageLimit": 3}}
    for content in ({"memoryPlugins": section}, {"agents": {}, "channels": {"memoryPlugins": section}}):
        config, problems = configured(life_without_model.folder, content)
        assert problems == []
        assert (config.enabled("recall"), config.enabled("storage"), config.core.message_limit) == (False, True, 3.0)
    config = load_config(life_without_model.folder / "nowhere.json")
    assert "nowhere.json" in config.problems[0].message
    assert config.enabled("recall")
    config, problems = configured(life_without_model.folder, {"memory": {"enabled": False}})
    assert not any(config.enabled(name) for name in ("recall", "storage", "flush"))
