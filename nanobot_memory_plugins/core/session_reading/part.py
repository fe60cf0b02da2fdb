"""A plugin's part of the question, and what it does with the answer."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass

from nanobot_memory_plugins.core.values import Note
from nanobot_memory_plugins.core.values.session_reading import SessionReading

Take = Callable[[SessionReading], Awaitable[Sequence[Note]]]
WithoutModel = Callable[[], Awaitable[Sequence[Note]]]
Known = Callable[[], Awaitable[Mapping[str, str]]]


@dataclass(frozen=True, slots=True)
class ReadingRequest:
    """A plugin's wish, at the end of a turn, that the session be read now. ``reason`` is for the log."""

    reason: str = "turn"


async def _no_notes() -> Sequence[Note]:
    return ()


async def _no_entries() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class ReadingPart:
    """What a plugin wants to know of a session.

    ``field`` is that of the answer: ``entries`` and ``summary`` are worded by core, for another one ``question`` says
    in a paragraph what belongs there. ``known`` gives entries that the model is shown, texts by id. ``take`` handles
    the answer, ``without_model`` does what is possible where there is none, after ``patience`` seconds at the latest;
    both return notes to keep. Messages of which the latter has made notes are not asked about again for this field. A
    part that never ``asks`` does without the model always.
    """

    field: str
    take: Take
    _: KW_ONLY
    without_model: WithoutModel = _no_notes
    question: str = ""
    known: Known = _no_entries
    patience: float | None = None
    asks: bool = True
