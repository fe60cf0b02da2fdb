from collections.abc import Callable

import pytest

from nanobot_memory_plugins.core.files.memory_files import MemoryFiles
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.files.writing import REDACTION_FAILED
from nanobot_memory_plugins.core.values import Note, Origin, Scope

Opener = Callable[..., MemoryFiles]


def message(text: str, session: str = "cli:direct") -> TranscriptRecord:
    return TranscriptRecord("user", text, session, Scope(session=session), Origin.USER)


@pytest.mark.parametrize("result", [RuntimeError("sk-secret"), SystemExit(1), RecursionError(), None, 7])
async def test_a_failing_redaction_lets_nothing_through(
    open_files: Opener, warnings: list[str], result: object
) -> None:
    def redact(text: str) -> str:
        if isinstance(result, BaseException):
            raise result
        return result  # type: ignore[return-value]

    files = open_files(redact=redact)
    receipt = await files.keep_message(message("sk-secret"))
    note = await files.keep_note(Note("sk-secret", "sk-secret", tags=("sk-secret",)), scope=Scope())
    assert receipt.stored
    assert files.history("cli:direct")[0]["content"] == REDACTION_FAILED
    assert note.path is not None
    assert "sk-secret" not in note.path.read_text()
    assert warnings
    assert not any("sk-secret" in warning for warning in warnings)
