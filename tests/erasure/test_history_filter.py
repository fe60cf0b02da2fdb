"""Forgotten texts are known again in a host's history by their fingerprints, and nothing else is taken for them."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.clock import Clock, SystemClock
from nanobot_memory_plugins.core.erasure.fingerprinting import Removal, remember_forgotten
from nanobot_memory_plugins.core.erasure.fingerprints import FOLDER, Fingerprints
from nanobot_memory_plugins.core.erasure.history_filter import HistoryFilter
from nanobot_memory_plugins.core.erasure.letters import Letters, plain
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.values import Message, Note, messages_from_chat

pytestmark = pytest.mark.leaving

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
THERAPIST = "my therapist is Doctor Zebulon Krieger in Marzipan Alley"
MOVE = "We decided last week to move the whole plant to Redpanda."


class FixedClock(SystemClock):
    def now(self) -> datetime:
        return NOW + timedelta(hours=1)


@pytest.fixture
def paths(tmp_path: Path) -> MemoryPaths:
    (tmp_path / "memory").mkdir()
    return MemoryPaths.of(tmp_path)


@pytest.fixture
def filter_of(paths: MemoryPaths) -> Callable[[], HistoryFilter]:
    """Make the filter of a process that has just started."""
    clock: Clock = FixedClock()
    return lambda: HistoryFilter(Fingerprints(paths), clock=clock, redact=redact_text)


def chat(*texts: str, **more: str) -> tuple[Message, ...]:
    """A user and the assistant in turn."""
    roles = ("user", "assistant")
    return messages_from_chat({"role": roles[n % 2], "content": text, **more} for n, text in enumerate(texts))


def forget(paths: MemoryPaths, words: str, messages: tuple[Message, ...] = (), session: str = "s") -> int:
    """Write down what a purge of some words would take out of a transcript of the messages."""
    holds = [bool(Letters(redact_text(one.text)).find(plain(words))) for one in messages]

    def beside(place: int) -> str:
        return messages[place].text if 0 <= place < len(messages) and not holds[place] else ""

    removals = [Removal("", (words,))]
    for place, one in enumerate(messages):
        if holds[place]:
            text, before, after = redact_text(one.text), beside(place - 1), beside(place + 1)
            removals.append(Removal(text, (words,), (), session, one.role, before, after))
    return remember_forgotten(paths, removals, now=NOW)


def texts(messages: tuple[Message, ...]) -> list[str]:
    return [one.text for one in messages]


def test_a_long_text_is_known_in_any_spelling_and_sentence_and_the_rest_of_the_message_stays(paths, filter_of):
    forget(paths, THERAPIST)
    history = chat(
        f"Hi. Remember that {THERAPIST}. What now?",
        "MY THERAPIST is doctor Zebulon\nKrieger (in Marzipan-Alley)! Noted.",
        "My therapist is Doctor Zebulon Krieger in Marzipan Alleyway.",
        "My therapist is Doctor Zelda Krieger in Marzipan Alley.",
    )
    assert texts(filter_of().messages("any", history)) == [
        "Hi. […] What now?",
        "[…] Noted.",
        history[2].text,
        history[3].text,
    ]


def test_of_short_words_the_sentences_are_known_and_then_the_words_in_what_a_model_makes_of_them(paths, filter_of):
    history = chat(MOVE, "Good.", "Redpanda is an animal, too.", "Yes.")
    forget(paths, "Redpanda", history[:2])
    filter_ = filter_of()
    assert filter_.text("s", "They use Redpanda.") == "They use Redpanda."  # the session has not shown that it holds it
    assert texts(filter_.messages("s", history)) == ["", "Good.", "Redpanda is an animal, too.", "Yes."]
    assert filter_.text("s", "They use REDPANDA. And tea.") == "[…] And tea."
    assert filter_.text("s", "Redpandas") == "Redpandas"
    assert filter_.text("other", "They use Redpanda.") == "They use Redpanda."
    filter_.end("s")
    assert filter_.text("s", "They use Redpanda.") == "They use Redpanda."


def test_a_short_message_is_known_by_its_place_and_others_like_it_stay(paths, filter_of):
    history = chat("Hello there, how are you?", "Fine!", "My dog is Rex.", "Nice name.", "My cat is Tom.", "Good.")
    assert forget(paths, "My dog is Rex", history) == 1
    filter_ = filter_of()
    left = texts(filter_.messages("s", history))
    assert left == ["Hello there, how are you?", "Fine!", "", "Nice name.", "My cat is Tom.", "Good."]
    assert texts(filter_.messages("s", history[2:4])) == ["", "Nice name."]
    assert texts(filter_.messages("s", history[3:])) == texts(history[3:])
    assert texts(filter_.messages("other", history)) == texts(history)
    assert filter_.text("s", "So my dog is Rex. Good.") == "[…] Good."


@pytest.mark.parametrize("words", ["Kafka", "豆豆", "Rex", "Maria Lopez", "9931"])
def test_nothing_short_can_be_guessed_from_what_is_written_down(paths, words):
    message = f"Hi there. It is {words}. And a long sentence behind it that stays in the transcript."
    history = chat("What is its name, if I may ask?", "I do not know it.", message, "I see, thank you for that.")
    removals = [Removal(message, (words,), ((10, 10 + len(f"It is {words}.")),), "s", "user", *texts(history[1:4:2]))]
    word_at = message.index(words)
    removals.append(Removal(message, (words,), ((word_at, word_at + len(words)),), "s", "user"))
    assert remember_forgotten(paths, removals, now=NOW) == 2
    known = Fingerprints(paths).known()
    assert known is not None
    written = (paths.memory / FOLDER / "fingerprints.jsonl").read_text()
    for guess in (words, f"It is {words}", message, f"Hi there. It is {words}"):
        assert known.key(plain(guess)) not in written
        assert plain(guess) not in written
    other = message.replace(words, "x" * len(plain(words)))
    again = [Removal(other, ("x" * len(plain(words)),), removals[1].cuts, "s", "user")]
    before = len(known.places)
    remember_forgotten(paths, again, now=NOW)
    assert len(Fingerprints(paths).known().places) == before  # type: ignore[union-attr]  # another word, the same line


def test_said_again_it_counts_in_that_session_and_its_old_message_is_not_hidden_there(paths, filter_of):
    history = chat(f"Remember that {THERAPIST}.", "Noted.")
    forget(paths, THERAPIST)
    filter_ = filter_of()
    assert texts(filter_.messages("s", history)) == ["", "Noted."]
    filter_.said("s", f"Once more: {THERAPIST}.")
    for one in (filter_, filter_of()):
        assert texts(one.messages("s", history)) == texts(history)
        assert one.text("s", f"So {THERAPIST}.") == f"So {THERAPIST}."
        assert texts(one.messages("other", history)) == ["", "Noted."]
    # A session that learns of it by recall does not have the old message.
    assert filter_.sent("third", f"You said: {THERAPIST}.") == f"You said: {THERAPIST}."
    assert texts(filter_of().messages("third", chat("Who?", f"You said: {THERAPIST}."))) == [
        "Who?",
        f"You said: {THERAPIST}.",
    ]
    remember_forgotten(paths, [Removal("", (THERAPIST,))], now=NOW + timedelta(hours=2))
    assert texts(filter_.messages("s", history)) == ["", "Noted."]


def test_who_names_a_forgotten_word_again_has_not_said_the_whole_message_again(paths, filter_of):
    history = chat(MOVE, "Good.")
    forget(paths, "Redpanda", history)
    filter_ = filter_of()
    filter_.messages("s", history)
    filter_.said("s", "Is Redpanda an animal?")
    for one in (filter_, filter_of()):
        assert texts(one.messages("s", history)) == ["", "Good."]
        assert one.sent("s", "A redpanda climbs.") == "A redpanda climbs."


def test_a_users_message_from_after_the_order_is_new_and_an_answer_is_not(paths, filter_of):
    forget(paths, THERAPIST)
    later = (NOW + timedelta(minutes=1)).isoformat()
    old = chat(f"{THERAPIST}.", f"{THERAPIST}!", time=NOW.isoformat())
    new = chat(f"{THERAPIST}.", f"{THERAPIST}!", time=later)
    assert texts(filter_of().messages("s", old + new)) == ["", "", f"{THERAPIST}.", ""]


def test_a_message_with_a_secret_is_known_by_what_was_written_of_it(paths, filter_of):
    told = "my therapist Zebulon has the number +351 912 345 678 in Marzipan Alley"
    assert redact_text(told) != told
    forget(paths, redact_text(told))
    assert texts(filter_of().messages("s", chat(f"Hi. Remember {told}. Bye.", "Ok."))) == ["Hi. […] Bye.", "Ok."]


def test_nothing_of_it_is_left_in_the_other_fields_of_a_message(paths, filter_of):
    forget(paths, THERAPIST)
    call = {"function": {"name": "note", "arguments": json.dumps({"text": f"a\n{THERAPIST}", "n": 1})}}
    parts = [{"type": "text", "text": f"Hm. {THERAPIST}."}, {"type": "text", "text": "Bye."}]
    given = [
        {"role": "assistant", "content": None, "tool_calls": [call], "reasoning_content": f"{THERAPIST}, then"},
        {"role": "user", "content": parts},
        {"role": "tool", "content": json.dumps({"found": THERAPIST, "at": 3}, ensure_ascii=True)},
    ]
    left = filter_of().messages("s", messages_from_chat(given))
    assert "Zebulon" not in repr(left)
    assert "Hm. […]\nBye." in left[1].text
    assert json.loads(left[2].text)["at"] == 3
    note = Note(tldr=f"It is {THERAPIST}.", details="Nothing else.", tags=("x",))
    (kept,) = filter_of().notes("s", [note])
    assert "Zebulon" not in repr(kept)
    assert filter_of().notes("s", [Note(tldr=THERAPIST, title=THERAPIST)]) == []
    other = Note(tldr="Something else.")
    assert filter_of().notes("s", [other]) == [other]


def test_what_is_not_touched_stays_the_same_object(paths, filter_of):
    forget(paths, THERAPIST)
    history = chat("One.", "Two.", "Three.")
    assert all(new is old for new, old in zip(filter_of().messages("s", history), history, strict=True))


def test_an_order_in_the_middle_of_a_turn_is_known_from_what_came_by(paths, filter_of):
    filter_ = filter_of()
    filter_.hear("s", "user", MOVE)
    forget(paths, "Redpanda", chat(MOVE, "Good."))
    # The clock of the filter is an hour ahead of the order: what it heard would count as said again.
    filter_._session("s").heard[0] = chat(MOVE)[0]
    assert filter_.sent("s", "You moved to Redpanda. Well done.") == "[…] Well done."


@pytest.mark.parametrize(
    ("harm", "hint"),
    [
        (lambda folder: (folder / "key").unlink(), "key"),
        (lambda folder: (folder / "key").write_text("0" * 64 + "\n"), "key"),
        (lambda folder: _lines(folder, 0, '{"version": 2}'), "Update"),
        (lambda folder: _lines(folder, 1, '{"kind": "place of a newer kind"}'), "Update"),
        (lambda folder: (folder / "fingerprints.jsonl").write_bytes(b"\0" * 40), "copy"),
        (lambda folder: (folder / "fingerprints.jsonl").write_bytes(b""), "copy"),
    ],
)
def test_what_cannot_be_told_is_said_and_nothing_is_written_over_it(paths, filter_of, harm, hint):
    forget(paths, THERAPIST)
    harm(paths.memory / FOLDER)
    before = (paths.memory / FOLDER / "fingerprints.jsonl").read_bytes()
    with pytest.raises(MemoryFileError, match=hint):
        filter_of().messages("s", chat("One."))
    with pytest.raises(MemoryFileError):
        forget(paths, "another long text about nothing at all")
    assert (paths.memory / FOLDER / "fingerprints.jsonl").read_bytes() == before


def test_a_damaged_line_costs_itself_alone(paths, filter_of):
    forget(paths, THERAPIST)
    with (paths.memory / FOLDER / "fingerprints.jsonl").open("ab") as file:
        file.write(b'{"kind": "te\0')
    assert texts(filter_of().messages("s", chat(THERAPIST, "Ok."))) == ["", "Ok."]


def test_the_files_are_for_their_owner_and_what_a_kill_left_is_cleared(paths):
    forget(paths, THERAPIST)
    folder = paths.memory / FOLDER
    key = (folder / "key").read_bytes()
    (folder / ".fingerprints.jsonl.0123456789abcdef.tmp").write_text("half")
    forget(paths, "another long text about nothing at all")
    assert {path.name for path in folder.iterdir()} - {".lock"} == {"fingerprints.jsonl", "key"}
    assert (folder / "key").read_bytes() == key
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700


def test_forgetting_the_same_again_adds_nothing(paths):
    for _ in range(3):
        forget(paths, THERAPIST, chat(f"Remember that {THERAPIST}.", "Noted."))
    known = Fingerprints(paths).known()
    assert known is not None
    assert (len(known.texts), len(known.places)) == (1, 0)


def _lines(folder: Path, number: int, line: str) -> None:
    path = folder / "fingerprints.jsonl"
    lines = path.read_text().splitlines()
    lines[number] = line
    path.write_text("".join(f"{one}\n" for one in lines))
