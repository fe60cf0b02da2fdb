"""Prompts as they are sent, word for word, beside the tests: a change of one shows in the difference.

``NANOBOT_MEMORY_WRITE_PROMPTS=1`` writes them anew.
"""

import os
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "data" / "prompts"


def assert_as_stored(name: str, messages: Sequence[dict[str, str]]) -> None:
    """Compare chat messages with the stored ones of this name."""
    text = "\n".join(f"=== {one['role']}\n{one['content']}\n" for one in messages)
    file = FOLDER / f"{name}.txt"
    if os.environ.get("NANOBOT_MEMORY_WRITE_PROMPTS") == "1":
        FOLDER.mkdir(exist_ok=True)
        file.write_text(text, "utf-8", newline="\n")
    assert text == file.read_text("utf-8")
