"""The importers that are installed, and which of them a source is for."""

from collections.abc import Mapping
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
        if not isinstance(made, Importer):
            raise TypeError("it has no label, recognises and read")
    except Exception as error:
        raise PluginError(
            Sentence(
                "The importer {name} of {distribution} cannot be loaded: {kind}.",
                name=point.name,
                distribution=point.distribution,
                kind=type(error).__name__,
            ),
            hint=Sentence("Reinstall or remove {distribution}.", distribution=point.distribution),
        ) from error
    return made


def chosen_importer(name: str, source: Path) -> tuple[str, Importer]:
    """Return the importer of that name, or, for an empty name, the one that recognises the source.

    Raises `InputError` when there is none, or more than one.
    """
    points = installed_importers()
    known = ", ".join(sorted([*points, ARCHIVE]))
    if name and name not in points:
        raise WrongUseError(
            Sentence("There is no format {name}.", name=name), hint=Sentence("Formats: {known}.", known=known)
        )
    found = {name: load_importer(points[name])} if name else _recognised(source, points)
    if not found:
        raise InputError(
            Sentence("It is not clear what {source} is.", source=source),
            hint=Sentence("Name the format with --from, one of: {known}.", known=known),
        )
    if len(found) > 1:
        raise InputError(
            Sentence("{source} looks like a store of {found}.", source=source, found=" and of ".join(found)),
            hint="Name one of them with --from.",
        )
    return next(iter(found.items()))


def _recognised(source: Path, points: Mapping[str, InstalledEntryPoint]) -> dict[str, Importer]:
    found: dict[str, Importer] = {}
    for name, point in points.items():
        try:
            importer = load_importer(point)
            if importer.recognises(source):
                found[name] = importer
        except Exception as error:  # a third party's importer costs only itself
            logger.warning("the importer {} failed to look at the source: {}", name, type(error).__name__)
    if len(found) > 1:
        found.pop(FALLBACK, None)
    return found
