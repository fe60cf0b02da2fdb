"""Writing down what was forgotten, by fingerprints: made from the texts out of which words are being taken."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from nanobot_memory_plugins.core.erasure.fingerprints import Fingerprints, Key, PlacePrint, Record, Spans, TextPrint
from nanobot_memory_plugins.core.erasure.letters import Letters, is_telling, joined, plain, telling_end
from nanobot_memory_plugins.core.files.paths import MemoryPaths

# What redaction leaves in the place of a secret.
_PLACEHOLDER = re.compile(r"\[[A-Z][A-Z_]+(?:: [^\]]*)?\]")


@dataclass(frozen=True, slots=True)
class Removal:
    """A text of ours from which ``words`` are taken out: a message, a note, a field of one.

    ``cuts`` are the stretches of ``text`` that go (character offsets); without them it is the sentences that hold the
    words. For a message, ``session`` and ``role`` say where it stood, ``before`` and ``after`` are the texts of the
    messages of people and the assistant beside it: leave them empty where they are being cut as well. ``time`` is when
    it was said.
    """

    text: str
    words: tuple[str, ...]
    cuts: tuple[tuple[int, int], ...] = ()
    session: str = ""
    role: str = ""
    before: str = ""
    after: str = ""
    time: datetime | None = None


def remember_forgotten(paths: MemoryPaths, removals: Iterable[Removal], *, now: datetime | None = None) -> int:
    """Write down what is being forgotten, and return how many fingerprints that took. It blocks.

    Call it before anything is removed: what it wrote is on the disk when it returns. Doing it again adds nothing. The
    words themselves, in whatever form, are not written. Raises `MemoryFileError`.
    """
    wanted = list(removals)
    if not wanted:
        return 0
    when = now or datetime.now(UTC)
    made: list[Record] = []

    def make(key: Key) -> list[Record]:
        made.extend(dict.fromkeys(one for removal in wanted for one in _prints(removal, key, when)))
        return made

    Fingerprints(paths).add(make)
    return len(made)


def _prints(removal: Removal, key: Key, now: datetime) -> Iterator[Record]:
    words = {one: _is_redacted(text) for text in removal.words if (one := plain(text))}
    for one, redacted in words.items():
        if is_telling(one):
            yield _text(one, ((0, len(one)),), key, now, redacted)
    letters = Letters(removal.text)
    found = sorted({span for one in words for span in letters.find(one)})
    stretches = removal.cuts or [letters.sentences(*span) for span in found]
    cuts = [cut for cut in dict.fromkeys(letters.between(*stretch) for stretch in stretches) if cut[0] < cut[1]]
    is_short = False
    for start, end in cuts:
        hidden = letters.plain[start:end]
        inside = tuple((a - start, b - start) for a, b in found if start <= a and b <= end) or ((0, end - start),)
        if not is_telling(hidden):
            is_short = True
        elif not all(hidden[a:b] in words and is_telling(hidden[a:b]) for a, b in inside):
            begin, stop = letters.span(start, end)
            yield _text(hidden, inside, key, now, _is_redacted(removal.text[begin:stop]))
    if is_short and removal.session and removal.role:
        gaps = tuple(joined(cuts))
        yield _place(removal, letters, gaps, tuple(found) or gaps, key, now)


def _text(letters: str, words: Spans, key: Key, now: datetime, redacted: bool) -> TextPrint:
    return TextPrint(key(letters), key(letters[: telling_end(letters, 0)]), len(letters), words, now, redacted)


def _place(removal: Removal, letters: Letters, gaps: Spans, words: Spans, key: Key, now: datetime) -> PlacePrint:
    return PlacePrint(
        id=place_id(key, removal.session, removal.role, letters.plain, gaps),
        session=removal.session,
        role=removal.role,
        letters=len(letters),
        gaps=gaps,
        words=words,
        before=key(plain(removal.before)) if plain(removal.before) else "",
        after=key(plain(removal.after)) if plain(removal.after) else "",
        time=now,
        said=removal.time,
    )


def place_id(key: Key, session: str, role: str, letters: str, gaps: Spans) -> str:
    """Return the fingerprint of a message without its ``gaps``: nothing of what stood in them goes into it."""
    pieces, position = [], 0
    for start, end in gaps:
        pieces.append(letters[position:start])
        position = max(position, end)
    return key("".join([*pieces, letters[position:]]), session, role, len(letters), gaps)


def _is_redacted(text: str) -> bool:
    return _PLACEHOLDER.search(text) is not None
