"""The errors of the set.

::

    NanobotMemoryError
    ├── ConfigurationError      a configuration file or value cannot be used
    ├── PluginError             a plugin cannot be loaded or used
    ├── InputError              what a command was given to read, or where to write, cannot be used
    │   └── WrongUseError       a command was used wrongly
    ├── MemoryFileError         a memory file cannot be read or written
    ├── StoreError              the index cannot be opened, searched or written
    ├── EmbeddingError          an embedding model or provider failed, or is not on this machine
    └── LanguageModelError      a completion failed
        ├── CompletionTimeoutError
        └── NotAskedError       nothing was sent

Every message names the cause and, where there is one, a hint how to fix it.
"""

from nanobot_memory_plugins.redaction.script.messages import Sentence


def _line(text: str) -> Sentence:
    return text if isinstance(text, Sentence) else Sentence(text)


class NanobotMemoryError(Exception):
    """Base of everything that this set raises on purpose.

    ``hint`` says what the reader can do about it, or is empty.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        self.cause = _line(message)
        self.hint = _line(hint)
        super().__init__(f"{self.cause} {self.hint}" if hint else self.cause)


class ConfigurationError(NanobotMemoryError):
    """A configuration file or value cannot be used."""


class PluginError(NanobotMemoryError):
    """A plugin cannot be loaded or used."""


class InputError(NanobotMemoryError):
    """What a command was given to read, or the place it was to write to, cannot be used."""


class WrongUseError(InputError):
    """A command was used wrongly: an option or an argument has a value that it cannot have."""


class MemoryFileError(NanobotMemoryError):
    """A memory file cannot be read or written."""


class StoreError(NanobotMemoryError):
    """The index cannot be opened, searched or written."""


class EmbeddingError(NanobotMemoryError):
    """An embedding model or provider failed, or is not on this machine."""


class LanguageModelError(NanobotMemoryError):
    """A completion failed."""


class CompletionTimeoutError(LanguageModelError):
    """The language model did not answer within its time limit."""


class NotAskedError(LanguageModelError):
    """Nothing was sent: the day's budget of the purpose is used up, or it rests after many failures."""


def log_text(error: BaseException) -> str:
    """Return an error for a log: the sentence of our own, only the type of others, whose text may hold values."""
    return str(error) if isinstance(error, NanobotMemoryError) else type(error).__name__
