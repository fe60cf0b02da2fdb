"""The importers that are installed, and which of them a source is for."""

from pathlib import Path

from nanobot_memory_plugins.core.entry_points import IMPORTER_GROUP, InstalledEntryPoint, installed_entry_points
from nanobot_memory_plugins.core.errors import InputError, PluginError, WrongUseError
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.transfer.importer import Importer
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Our own export, which is no store of somebody else's.
ARCHIVE = "archive"
# Any folder of text: taken where nothing else recognises the source.
FALLBACK = "markdown"


def installed_importers() -> dict[str, InstalledEntryPoint]:
    """Return the entry points of all importers by name; of two of one name this project's own counts."""
    points = list(installed_entry_points(IMPORTER_GROUP))
    own = (point for point in points if point.distribution.startswith("nanobot-memory-"))
    return dict(sorted({point.name: point for point in (*points, *own)}.items()))


def load_importer(point: InstalledEntryPoint) -> Importer:
    """Import what an entry point names. Raises `PluginError`."""
    try:
        brought = point.load()
        made = brought() if isinstance(brought, type) else brought
        if isinstance(made, Importer):
            return made
        kind = "TypeError"
    except Exception as error:
        kind = type(error).__name__
    names = {"name": point.name, "distribution": point.distribution}
    raise PluginError(
        Sentence("The importer {name} of {distribution} cannot be loaded: {kind}.", **names, kind=kind),
        hint=Sentence("Reinstall or remove {distribution}.", distribution=point.distribution),
    )


def chosen_importer(name: str, source: Path) -> tuple[str, Importer]:
    """Return the importer of that name, or, for an empty name, the first that recognises the source.

    Raises `WrongUseError` for a name that there is not, and `InputError` where none recognises the source.
    """
    points = installed_importers()
    known = ", ".join(sorted([*points, ARCHIVE]))
    if name and name not in points:
        raise WrongUseError(
            Sentence("There is no format {name}.", name=name), hint=Sentence("Formats: {known}.", known=known)
        )
    if name:
        return name, load_importer(points[name])
    for tried in sorted(points, key=lambda one: one == FALLBACK):
        try:
            importer = load_importer(points[tried])
            if importer.recognises(source):
                return tried, importer
        except Exception as error:  # a third party's importer costs only itself
            logger.warning("the importer {} failed to look at the source: {}", tried, type(error).__name__)
    raise InputError(
        Sentence("It is not clear what {source} is.", source=source),
        hint=Sentence("Name the format with --from, one of: {known}.", known=known),
    )
