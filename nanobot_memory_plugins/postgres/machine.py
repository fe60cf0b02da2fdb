"""Which machine this is: a name that its memory keeps, whatever the machine is called later."""

import os
import re
import socket
import uuid

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.core.files import MemoryPaths, make_missing
from nanobot_memory_plugins.redaction.script.messages import Sentence

_NOT_IN_NAMES = re.compile(r"[^\w-]+", re.ASCII)
_LONGEST = 40
FILE = "machine"


def machine_name(paths: MemoryPaths, wanted: str = "") -> str:
    """Return the name of this workspace's machine, made once and kept beside the index.

    Two folders never have the same name by themselves: what one of them sends is told from the other's by it.
    """
    if wanted:
        return wanted
    file = paths.index_folder / FILE
    try:
        make_missing(file.parent)
        host = _NOT_IN_NAMES.sub("-", socket.gethostname().partition(".")[0]).strip("-")[:_LONGEST] or "machine"
        if not file.exists():
            made = f"{host}-{uuid.uuid4().hex[:6]}"
            new = file.with_name(f".{FILE}.{made}.tmp")
            with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as written:
                written.write(f"{made}\n")
            try:
                os.link(new, file)  # whole or not at all, and only the first of those who begin at once
            except FileExistsError:
                pass
            except OSError:  # a file system without links
                os.replace(new, file)
            finally:
                new.unlink(missing_ok=True)
        name = file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise StoreError(
            Sentence("The name of this machine cannot be kept ({why}).", why=error.strerror or type(error).__name__),
            hint=Sentence(
                "Check that {parent} can be written, or give the option machine of postgres.", parent=file.parent
            ),
        ) from error
    if not name:
        raise StoreError(
            Sentence("{file} is empty.", file=file), hint="Delete it: then this machine's files are sent anew."
        )
    return name
