"""From a mapping to a configuration: the plugins' section and the documents' objects."""

from typing import Any

import pytest

from nanobot_memory_plugins.core.config import MemoryConfig, config_from_mapping

KNOWN = ["storage", "recall", "observation", "summary"]

# Smart memory v3.0, 6.2, as it stands there.
V3_EXAMPLE = {
    "memory": {
        "enabled": True,
        "embeddingModel": "multilingual",
        "enableObservations": True,
        "enableSummaries": True,
        "summaryMinTurns": 3,
        "retrieval": {"limit": 8, "maxFullDocs": 3, "maxSnippets": 5, "rrfK": 60, "maxContextChars": 3000},
    }
}


def messages(raw: object) -> list[str]:
    return [problem.message for problem in config_from_mapping(raw, known_plugins=KNOWN)[1]]


def plugins(raw: object) -> dict[str, Any]:
    config, problems = config_from_mapping(raw, known_plugins=KNOWN)
    assert problems == []
    return config.plugins


def test_no_configuration_means_everything_on():
    config, problems = config_from_mapping(None)
    assert problems == []
    assert config.enabled("recall")
    assert config.core == MemoryConfig().core


@pytest.mark.accept("PL-03")
@pytest.mark.parametrize("raw", [{"enabled": False}, False, {"enabled": "off"}])
def test_a_plugin_is_turned_off(raw: object):
    config, problems = config_from_mapping({"memoryPlugins": {"recall": raw, "observation": True}}, known_plugins=KNOWN)
    assert problems == []
    assert not config.enabled("recall")
    assert config.enabled("observation")
    assert config.enabled("storage")


def test_the_section_and_the_whole_file_mean_the_same():
    section = {"recall": {"recallTopK": 3}, "core": {"share": "user"}}
    for raw in (section, {"memoryPlugins": section}, {"channels": {"memoryPlugins": section}}):
        config, problems = config_from_mapping(raw, known_plugins=KNOWN)
        assert problems == []
        assert config.plugins == {"recall": {"recallTopK": 3}}
        assert config.core.share == "user"


def test_core_options_are_read_in_both_spellings_and_checked_alone():
    config, (problem,) = config_from_mapping({"core": {"messageLimit": 2, "tool_limit": "soon", "idleSeconds": 9}})
    assert (config.core.message_limit, config.core.tool_limit, config.core.idle_seconds) == (2.0, 0.5, 9.0)
    assert problem.key == "memoryPlugins.core.tool_limit"


def test_a_nested_core_option_is_checked_alone():
    config, (problem,) = config_from_mapping({"core": {"languageModel": {"attempts": 0, "dailyTokens": 5}}})
    assert (config.core.language_model.attempts, config.core.language_model.daily_tokens) == (3, 5)
    assert problem.key == "memoryPlugins.core.languageModel.attempts"


@pytest.mark.accept("PL-03")
def test_an_unknown_plugin_suggests_the_nearest():
    assert messages({"memoryPlugins": {"recal": {}}}) == [
        'memoryPlugins.recal: there is no such plugin. Did you mean "recall"?'
    ]


def test_a_plugin_that_is_not_installed_is_named_unless_it_is_off():
    assert messages({"flush": {"reserveFloor": 1}}) == [
        'memoryPlugins.flush: the plugin "flush" is not installed, so this has no effect.'
    ]
    assert messages({"flush": {"enabled": False}}) == []


def test_an_option_outside_its_plugin_is_sent_home():
    assert messages({"memoryPlugins": {"embeddingModel": "english"}}) == [
        "memoryPlugins.embeddingModel: this is an option of a plugin: "
        'write it as "memoryPlugins.storage.embedding_model".'
    ]


@pytest.mark.parametrize("raw", [[], "on", 3, True])
def test_a_section_of_the_wrong_kind_is_named(raw: object):
    assert messages(raw)[0].startswith("memoryPlugins: an object is expected")
    assert messages({"memoryPlugins": raw})[0].startswith("memoryPlugins: an object is expected")


@pytest.mark.accept("V3-20")
def test_the_documents_memory_object_sets_the_plugins_options():
    assert plugins(V3_EXAMPLE) == {
        "storage": {"embedding_model": "multilingual", "rrf_k": 60},
        "observation": {"enabled": True},
        "summary": {"enabled": True, "summary_min_turns": 3},
        "recall": {"recall_top_k": 8, "max_full_docs": 3, "max_snippets": 5, "inject_budget_chars": 3000},
    }


@pytest.mark.accept("V3-20")
def test_the_documents_memory_object_may_be_written_in_snake_case():
    snake = {
        "memory": {
            "enabled": True,
            "embedding_model": "multilingual",
            "enable_observations": True,
            "enable_summaries": True,
            "summary_min_turns": 3,
            "retrieval": {"limit": 8, "max_full_docs": 3, "max_snippets": 5, "rrf_k": 60, "max_context_chars": 3000},
        }
    }
    assert plugins(snake) == plugins(V3_EXAMPLE)


def test_the_documents_object_may_stand_inside_the_section():
    assert plugins({"memoryPlugins": V3_EXAMPLE}) == plugins(V3_EXAMPLE)


def test_the_documents_master_switch_turns_everything_off():
    config, problems = config_from_mapping({"memory": {"enabled": False, "enableObservations": True}})
    assert problems == []
    assert not any(config.enabled(name) for name in KNOWN)


def test_the_upgrade_plans_objects_are_read():
    config, _ = config_from_mapping(
        {
            "memory_search": {
                "enabled": True,
                "backend": "grep_only",
                "tiers": {"light_top_k": 2},
                "routing": {"explicit_anchors": ["之前"]},
                "timeouts": {"heavyMs": 900},
            },
            "memoryFlush": {"reserve_floor": 10},
            "context": {"bootstrap": {"max_chars": 5, "min_budget": 1}, "something": "of the host"},
        }
    )
    assert config.plugins == {
        "recall": {"enabled": True, "light_top_k": 2, "explicit_anchors": ["之前"], "heavy_ms": 900},
        "storage": {"backend": "grep_only"},
        "flush": {"reserve_floor": 10},
        "bootstrap": {"max_chars": 5, "min_budget": 1},
    }


def test_an_unknown_name_in_a_document_object_suggests_the_nearest():
    assert messages({"memory": {"embedingModel": "english"}}) == [
        'memory.embedingModel: there is no such option. Did you mean "embeddingModel"?'
    ]


def test_the_section_wins_over_the_document_and_says_so():
    config, (problem,) = config_from_mapping(
        {"memory": {"recallTopK": 5}, "memoryPlugins": {"recall": {"recallTopK": 9}}}
    )
    assert config.plugins["recall"] == {"recallTopK": 9}
    assert problem.message == "memory.recallTopK: memoryPlugins.recall.recallTopK says the same option, and counts."


def test_a_hosts_other_keys_are_left_alone():
    assert messages({"memoryPlugins": {}, "model": "x", "tools": {"recall": 1}}) == []
    assert messages({"memory": {"recallTopK": 3}, "model": "x"}) == []
