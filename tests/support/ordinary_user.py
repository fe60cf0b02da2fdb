"""Runs a block as an ordinary user, since root may read and write everything, so that permissions have no effect."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# "nobody" on Linux. Any user that owns nothing else would do.
_NOBODY = 65534


@contextmanager
def folder_of_an_ordinary_user() -> Iterator[Path]:
    """Yield an empty folder that belongs to an ordinary user, and run as that user until the block ends.

    Import what the block needs before it: an ordinary user may not be allowed to read the interpreter's own files.
    """
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are not open to other users
        folder = Path(name)
        was_root = hasattr(os, "geteuid") and os.geteuid() == 0
        if was_root:
            os.chown(folder, _NOBODY, _NOBODY)
            os.seteuid(_NOBODY)
        try:
            yield folder
        finally:
            folder.chmod(0o700)
            if was_root:
                os.seteuid(0)
