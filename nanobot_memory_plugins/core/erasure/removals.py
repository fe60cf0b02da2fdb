"""What a purge takes out of transcripts and notes, message by message: for knowing it again in a host's history."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from nanobot_memory_plugins.core.erasure.fingerprinting import Removal
from nanobot_memory_plugins.core.erasure.matching import Wanted
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.files.entries import NoteEntry
from nanobot_memory_plugins.core.files.parsing import parse_notes
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, parse_transcript_line

_SPOKEN = ("user", "assistant")


def removals(paths: MemoryPaths, wanted: Wanted, texts: Sequence[str]) -> Iterator[Removal]:
    """Yield what is about to be taken out of a workspace. It blocks; what cannot be read has nothing to yield."""
    words = tuple(texts)
    yield Removal("", words)
    for path in sorted(paths.sessions.glob("*.jsonl")):
        yield from _in_transcript(_read(path), wanted, words)
    for path in sorted(paths.memory.glob("*.md")):
        data = _read(path)
        for part in parse_notes(data):
            if isinstance(part, NoteEntry):
                text = data[part.offset : part.offset + part.length].decode("utf-8", "replace")
                if cuts := wanted.spans(text):
                    yield Removal(text, words, tuple(cuts))


def _in_transcript(data: bytes, wanted: Wanted, words: tuple[str, ...]) -> Iterator[Removal]:
    parsed = (parse_transcript_line(line) for line in data.split(b"\n") if line)
    spoken = [one for one in parsed if one is not None and one.role in _SPOKEN]
    cuts = [wanted.spans(one.text) for one in spoken]

    def beside(place: int) -> str:
        """Return the text of a neighbour, unless that is cut, too: it must not be guessed from its fingerprint."""
        return spoken[place].text if 0 <= place < len(spoken) and not cuts[place] else ""

    for place, one in enumerate(spoken):
        if cuts[place]:
            yield _removal(one, words, cuts[place], beside(place - 1), beside(place + 1))


def _removal(
    one: TranscriptRecord, words: tuple[str, ...], cuts: list[tuple[int, int]], before: str, after: str
) -> Removal:
    return Removal(one.text, words, tuple(cuts), one.session_key, one.role, before, after, one.time)


def _read(path: Path) -> bytes:
    with suppress(OSError):
        return read_regular(path)
    return b""
