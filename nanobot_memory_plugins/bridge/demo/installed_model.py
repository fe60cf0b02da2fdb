"""The language model on this machine that an installed distribution offers, for the demonstration."""

from nanobot_memory_plugins.core import OpenLocalModel, PluginError, Sentence
from nanobot_memory_plugins.core.cli import not_installed
from nanobot_memory_plugins.core.entry_points import LOCAL_MODEL_GROUP, installed_entry_points


def installed_local_model() -> OpenLocalModel:
    """Return what the first entry point of ``nanobot_memory_local_models`` names.

    Raises `NotInstalledError` where there is none, and `PluginError` where it cannot be loaded.
    """
    point = next(installed_entry_points(LOCAL_MODEL_GROUP), None)
    if point is None:
        raise not_installed("demo --local-model", "tools")
    try:
        found: OpenLocalModel = point.load()
    except Exception as error:
        raise PluginError(
            Sentence(
                "The local model {name} of {distribution} cannot be loaded: {kind}.",
                name=point.name,
                distribution=point.distribution,
                kind=type(error).__name__,
            ),
            hint=Sentence("Reinstall or remove {distribution}.", distribution=point.distribution),
        ) from error
    return found
