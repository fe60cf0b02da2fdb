"""Knowing forgotten texts again, by their fingerprints, in the messages that a host still holds."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from nanobot_memory_plugins.core.erasure.fingerprinting import place_id
from nanobot_memory_plugins.core.erasure.fingerprints import Known, PlacePrint, TextPrint
from nanobot_memory_plugins.core.erasure.letters import Letters, plain, telling_end
from nanobot_memory_plugins.core.text.conversation import message_time
from nanobot_memory_plugins.core.values import Message

# A host dates a message when it saves the turn, this memory when it hears it.
_SAME = timedelta(minutes=15)
SPOKEN = ("user", "assistant")


@dataclass(frozen=True, slots=True)
class RecognisedText:
    """Where in some letters a forgotten text stands: its ``gaps``, and the ``words`` for which it was forgotten."""

    record: TextPrint | PlacePrint
    gaps: tuple[tuple[int, int], ...]
    words: tuple[str, ...]


def matches_in(letters: Letters, known: Known) -> list[RecognisedText]:
    """Return the forgotten texts that stand in some letters, from a word's beginning to a word's end."""
    found: list[RecognisedText] = []
    starts = known.starts
    if not starts:
        return found
    for start in letters.starts:
        end = telling_end(letters.plain, start)
        if not end:
            break
        for length in starts.get(known.key(letters.plain[start:end]), ()):
            end = start + length
            if end in letters.ends and (record := known.texts.get(known.key(letters.plain[start:end]))) is not None:
                words = tuple(letters.plain[start + a : start + b] for a, b in record.words)
                found.append(RecognisedText(record, ((start, end),), words))
    return found


def places_in(
    session: str, messages: Sequence[Message], known: Known, redact: Callable[[str], str]
) -> Iterator[tuple[int, RecognisedText]]:
    """Yield the messages of a session of which something short was forgotten, by their place."""
    wanted = [one for one in known.places if one.session == session]
    if not wanted:
        return
    spoken = [index for index, one in enumerate(messages) if one.role in SPOKEN and one.text.strip()]
    beside = {index: place for place, index in enumerate(spoken)}
    for index in spoken:
        message = messages[index]
        letters = ""
        for one in wanted:
            if one.role != message.role:
                continue
            letters = letters or plain(message.text)
            if len(letters) != one.letters or place_id(known.key, session, one.role, letters, one.gaps) != one.id:
                continue
            time = message_time(message)
            if time is not None and one.said is not None and abs(time - one.said) > _SAME:
                continue
            near = beside[index]
            before = messages[spoken[near - 1]].text if near else ""
            after = messages[spoken[near + 1]].text if near + 1 < len(spoken) else ""
            if _fits(one, before, after, known, redact):
                yield index, RecognisedText(one, one.gaps, tuple(letters[a:b] for a, b in one.words))


def _fits(one: PlacePrint, before: str, after: str, known: Known, redact: Callable[[str], str]) -> bool:
    """Return whether one neighbour is the right one, or there is none that could tell."""

    def is_it(print_: str, text: str) -> bool:
        return bool(print_ and text) and print_ in (known.key(plain(text)), known.key(plain(redact(text))))

    if is_it(one.before, before) or is_it(one.after, after):
        return True
    return not ((one.before and before) or (one.after and after))
