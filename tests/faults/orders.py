"""What a writer process is told to do, and what it says: one JSON line each."""

import hashlib
import json
import os
import re
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

KINDS = ("message", "reply", "tool", "note", "long_term", "entry")
# Every record has two words of its own: one where it begins and one where it ends.
BEGIN, END = "zqb", "zqe"
WORDS = re.compile(rf"\b({BEGIN}|{END})([a-z]{{12,}})\b")


@dataclass(frozen=True, slots=True)
class Order:
    """One writer. ``point`` is where it kills itself, on passing it for the ``nth`` time; empty: nowhere.

    ``count`` records of ``kinds`` are written by ``width`` tasks in each of ``threads``, ``pause`` seconds apart.
    ``limit`` bounds the size of a file, in bytes; ``user`` is the number of the user that it becomes. The clock jumps
    back by ``backwards`` seconds with every look. ``padding`` bytes stand between a record's two words. After
    ``cancel_after`` seconds the host is cancelled. ``settings`` are those of plugins.
    """

    workspace: str
    says: str
    name: str
    count: int = 20
    kinds: tuple[str, ...] = KINDS
    point: str = ""
    nth: int = 1
    width: int = 2
    threads: int = 1
    pause: float = 0.0
    limit: int = 0
    user: int = 0
    backwards: float = 0.0
    padding: int = 0
    cancel_after: float = 0.0
    settings: dict[str, Any] = field(default_factory=dict)

    def at(self, point: str, nth: int) -> "Order":
        """Return the same order, to end at a point."""
        return replace(self, point=point, nth=nth, pause=0.02)

    def encoded(self) -> str:
        """Return the order as one line."""
        return json.dumps(asdict(self))

    @classmethod
    def decoded(cls, line: str) -> "Order":
        """Read an order back."""
        values = json.loads(line)
        return cls(**{**values, "kinds": tuple(values["kinds"])})


@dataclass(frozen=True, slots=True)
class Kept:
    """What a writer was told: the receipt of one record, or the reason why there is none."""

    word: str
    kind: str
    stored: bool
    path: str = ""
    spilled: bool = False
    reason: str = ""


def word_of(name: str, number: int) -> str:
    """Return the word of a writer's record: letters only, so that no redaction takes it for a secret."""
    digest = hashlib.sha256(f"{name} {number}".encode()).digest()
    return "".join("bdfklmnprtv"[byte % 11] + "aeiou"[byte // 11 % 5] for byte in digest[:7])


def say(path: str | Path, **what: Any) -> None:
    """Append one line, in one write: it outlives the process that is killed right after."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        os.write(descriptor, (json.dumps(what) + "\n").encode())
    finally:
        os.close(descriptor)


def said(path: str | Path) -> list[dict[str, Any]]:
    """Return what was said so far."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    # The last line may be only half there yet.
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def kept(path: str | Path) -> list[Kept]:
    """Return the receipts that were given, those that refuse included."""
    return [Kept(**line["kept"]) for line in said(path) if "kept" in line]
