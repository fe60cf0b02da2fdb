"""A prompt's file becomes the messages that a chat model gets.

A file begins with the instruction; a line ``--- user`` or ``--- assistant`` begins a message of that role. Names in
braces are filled in. A file of the same name in the user's own folder takes the place of ours.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from nanobot_memory_plugins.core import Language, logger

_OURS = Path(__file__).parent
_PART = re.compile(r"^--- (user|assistant)\s*$", re.MULTILINE)
_NAME = re.compile(r"\{[a-z_]+\}")
# A prompt is shorter; what is longer is another file.
_LONGEST = 40_000


def rendered(
    name: str, language: Language, values: Mapping[str, str], *, own_folder: Path | None = None
) -> list[dict[str, str]]:
    """Return the messages of a prompt. ``values`` are put in the place of their names, and not looked at again."""
    parts = _PART.split(_template(f"{name}.{language}.md", own_folder))
    roles = ["system", *parts[1::2]]
    texts = [_filled(text.strip("\n"), values) for text in parts[::2]]
    return [{"role": role, "content": text} for role, text in zip(roles, texts, strict=True)]


def _template(file: str, own_folder: Path | None) -> str:
    if own_folder is not None:
        try:
            text = (own_folder / file).read_text("utf-8")
        except FileNotFoundError:
            pass
        except (OSError, ValueError) as error:
            logger.warning("the prompt {} cannot be read: {}", file, type(error).__name__)
        else:
            if text.strip() and len(text) <= _LONGEST:
                return text
            logger.warning("the prompt {} is empty or too long: ours is used", file)
    return _ours(file)


@lru_cache(maxsize=32)
def _ours(file: str) -> str:
    return (_OURS / file).read_text("utf-8")


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _NAME.sub(lambda found: values.get(found[0][1:-1], found[0]), text)
