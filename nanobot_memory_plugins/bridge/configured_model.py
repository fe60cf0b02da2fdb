"""The model that nanobot is configured with, for commands that run without nanobot."""

from collections.abc import Mapping, Sequence
from typing import Any

from nanobot_memory_plugins.bridge.language_model import answer_of
from nanobot_memory_plugins.core import Complete
from nanobot_memory_plugins.core.config.json_file import nanobot_home


def configured_model() -> Complete | None:
    """Return ``complete()`` over the provider of the user's own nanobot configuration, or None without one."""
    home = nanobot_home()
    file = home / "config.json" if home is not None else None
    if file is None or not file.is_file():
        return None
    from nanobot.config.loader import load_config
    from nanobot.providers.factory import build_provider_snapshot

    made = build_provider_snapshot(load_config(file))

    async def complete(messages: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
        return await answer_of(made.provider, made.model, [dict(one) for one in messages], max_tokens)

    return complete
