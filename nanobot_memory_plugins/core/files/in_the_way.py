"""A file that stands where a folder belongs, and the command that puts it aside."""

import shlex
from itertools import count
from pathlib import Path

from nanobot_memory_plugins.redaction.script.messages import Sentence


def in_the_way_of(folder: Path) -> Path | None:
    """Return what is no folder and stands in the place of ``folder`` or of one above it; None where nothing does.

    A link that leads nowhere is none: what to do about it depends on where it was to lead.
    """
    for path in (folder, *folder.parents):
        if path.exists():
            return None if path.is_dir() else path
    return None


def put_aside(path: Path) -> Sentence:
    """Return the advice to put a file aside, with a command that overwrites nothing."""
    aside = next(one for number in count(1) if not (one := path.with_name(f"{path.name}.aside-{number}")).exists())
    return Sentence(
        "`mv {path} {aside}`, and the next start makes the folder.",
        path=shlex.quote(str(path)),
        aside=shlex.quote(str(aside)),
    )
