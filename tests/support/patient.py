"""Options with limits that a busy machine keeps: what is shown is not the speed. Words alone find what is stored."""

from nanobot_memory_plugins.core import MemoryConfig


def patient_config(core: dict[str, object] | None = None, **plugins: dict[str, object]) -> MemoryConfig:
    """Return them, with these of core and of the plugins that are named."""
    options: dict[str, dict[str, object]] = {
        "storage": {"embedding_provider": "none"},
        "recall": {"recall_timeout": 20},
    }
    for name, values in plugins.items():
        options[name] = {**options.get(name, {}), **values}
    limits = {"message_limit": 30, "tool_limit": 30, "start_limit": 60}
    return MemoryConfig.model_validate({"core": {**limits, **(core or {})}, "plugins": options})
