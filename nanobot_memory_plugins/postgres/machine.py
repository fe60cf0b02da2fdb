"""Which machine this is: a name that its memory keeps, whatever the machine is called later."""

import os
import re
import socket
import uuid
from contextlib import suppress

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.core.files import MemoryPaths, make_missing
from nanobot_memory_plugins.redaction.script.messages import Sentence

FILE = "machine"


def machine_name(paths: MemoryPaths, wanted: str = "") -> str:
    """Return the name of this workspace's machine, made once and kept beside the index.

    Two folders never have the same name by themselves: what one of them sends is told from the other's by it.
    """
    if wanted:
        return wanted
    file = paths.index_folder / FILE
    host = re.sub(r"[^\w-]+", "-", socket.gethostname().partition(".")[0], flags=re.ASCII).strip("-")[:40] or "machine"
    made = f"{host}-{uuid.uuid4().hex[:6]}"
    new = file.with_name(f".{made}.tmp")
    try:
        make_missing(file.parent)
        if not file.exists():
            new.write_text(f"{made}\n", encoding="utf-8")
            with suppress(FileExistsError):
                os.link(new, file)  # whole or not at all, and only the first of those who begin at once
            new.unlink()
        return file.read_text(encoding="utf-8").strip() or made
    except OSError as error:
        raise StoreError(
            Sentence("The name of this machine cannot be kept ({why}).", why=error.strerror or type(error).__name__),
            hint=Sentence(
                "Check that {parent} can be written, or give the option machine of postgres.", parent=file.parent
            ),
        ) from error
