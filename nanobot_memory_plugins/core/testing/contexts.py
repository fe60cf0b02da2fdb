"""Contexts of plugins, as the host makes them."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel
from typing_extensions import TypeVar

from nanobot_memory_plugins.core.clock import Clock, ManualClock
from nanobot_memory_plugins.core.context import HostServices, PluginContext
from nanobot_memory_plugins.core.host.unhelpful import Unhelpful
from nanobot_memory_plugins.core.protocols import Complete, Store, VisibleScopes
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.scopes.scopes import Scopes

_OptionsT = TypeVar("_OptionsT", default=None)

# Where a test that names no workspace must not write.
_NOWHERE = Path("/nowhere")
START = datetime(2026, 1, 1, tzinfo=UTC)


def default_options(plugin: object) -> BaseModel | None:
    """Return the options of a plugin as nobody has set them, or None when it has no ``Options``."""
    model = getattr(plugin, "Options", None)
    return model() if isinstance(model, type) and issubclass(model, BaseModel) else None


def plugin_context(
    options: _OptionsT = None,  # type: ignore[assignment]  # the default of the parameter is that of its type
    *,
    plugin_name: str = "plugin",
    workspace: Path = _NOWHERE,
    clock: Clock | None = None,
    complete: Complete | None = None,
    store: Store | None = None,
    redact: Callable[[str], str] = redact_text,
    scopes: VisibleScopes | None = None,
) -> PluginContext[_OptionsT]:
    """Return a context with these options. Without a clock it stands still at the beginning of 2026, in UTC.

    Without ``scopes`` memories are shared, as by a host that names no users.
    """
    clock = clock or ManualClock(START)
    return PluginContext(
        plugin_name=plugin_name,
        workspace=workspace,
        options=options,
        clock=clock,
        complete=complete,
        redact=redact,
        redact_said=redact,
        scopes=scopes or Scopes("agent"),
        host=HostServices(store=lambda: store, feedback=Unhelpful(workspace, clock)),
    )
