"""A configuration in which nothing but consolidation is at work."""

from nanobot_memory_plugins.core import MemoryConfig

_OTHERS = ("storage", "recall", "nanobot", "bootstrap", "flush", "summary", "compaction", "observation")


def spoken_config(**options: object) -> MemoryConfig:
    """Return the configuration, with ``options`` of core."""
    off = {name: {"enabled": False} for name in _OTHERS}
    return MemoryConfig.model_validate({"core": {"message_limit": 20.0, **options}, "plugins": off})
