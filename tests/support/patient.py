"""Options with generous time limits for a busy machine, and search by words only."""

from nanobot_memory_plugins.core import MemoryConfig


def patient_config(core: dict[str, object] | None = None, **plugins: dict[str, object]) -> MemoryConfig:
    """Return these options with those of core and of other plugins added."""
    options: dict[str, dict[str, object]] = {
        "storage": {"embedding_provider": "none"},
        "recall": {"recall_timeout": 20},
    }
    for name, values in plugins.items():
        options[name] = {**options.get(name, {}), **values}
    limits = {"message_limit": 30, "tool_limit": 30, "start_limit": 60}
    return MemoryConfig.model_validate({"core": {**limits, **(core or {})}, "plugins": options})
