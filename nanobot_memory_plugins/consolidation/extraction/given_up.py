"""What is said of messages that the model was asked about in vain: in the journal, and by doctor."""

from datetime import datetime, timedelta

from nanobot_memory_plugins.consolidation.store.journal import GAVE_UP, Journal, read_line
from nanobot_memory_plugins.core import Finding, Health, Sentence
from nanobot_memory_plugins.core.files import read_time

NOT_ANSWERED = "the model has not answered"
NOTHING_FOUND = "the model finds nothing that the words bear out"
FAILS = "the model fails on them and answers other questions"
_HINTS = {
    NOT_ANSWERED: "Another model may do better; one that thinks needs a larger extractionAnswerTokens.",
    FAILS: "A slow model needs more seconds: core.languageModel.purposeTimeouts, extraction.",
    NOTHING_FOUND: "",
}
_DAYS = 7


def told_in_journal(session_key: str, count: int, why: str) -> str:
    """Return why the journal says that messages were given up."""
    return f"{GAVE_UP} {count} message{'s' if count > 1 else ''} of session {session_key}: {why}"


def given_up_lately(journal: Journal, now: datetime) -> list[Finding]:
    """Return what doctor says of the messages that were given up in the last week. It blocks.

    Raises `MemoryFileError`.
    """
    mark = f'"{GAVE_UP}'.encode()
    runs = [run for line in journal.lines() if mark in line and (run := read_line(line)) is not None]
    lately = [run for run in runs if (time := read_time(run.time)) is not None and now - time <= timedelta(days=_DAYS)]
    if not lately:
        return []
    counts = {why: sum(run.why.endswith(why) for run in lately) for why in _HINTS}
    told = [
        Sentence("{count} times, {why}" if count > 1 else "{count} time, {why}", count=count, why=Sentence(why))
        for why, count in counts.items()
        if count
    ]
    state = Sentence(
        "messages were given up in the last {days} days: {told}", days=_DAYS, told=Sentence.joined(told, "; ")
    )
    hints = [hint for why, hint in _HINTS.items() if counts[why] and hint]
    if not hints:
        return [Finding("extraction", state)]
    return [
        Finding(
            "extraction given up",
            state,
            Health.DEGRADED,
            hint=Sentence.joined(
                [Sentence("`nanobot-memory entries history` names the conversations."), *map(Sentence, hints)], " "
            ),
        )
    ]
