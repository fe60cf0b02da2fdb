"""The errors that these plugins raise.

::

    NanobotMemoryError
    ├── ConfigurationError      a configuration file or value cannot be used
    ├── PluginError             a plugin cannot be loaded or used
    ├── InputError              the input or the output path of a command cannot be used
    │   └── WrongUseError       an option or argument of a command is invalid
    ├── MemoryFileError         a memory file cannot be read or written
    ├── StoreError              the index cannot be opened, searched or written
    ├── EmbeddingError          an embedding model or provider failed, or is not on this machine
    └── LanguageModelError      a completion failed
        ├── CompletionTimeoutError
        └── NotAskedError       no request was sent

Every message names the cause and, where possible, how to fix it.
"""

from nanobot_memory_plugins.redaction.script.messages import Sentence


def _as_sentence(text: str) -> Sentence:
    return text if isinstance(text, Sentence) else Sentence(text)


class NanobotMemoryError(Exception):
    """The base class of all errors that these plugins raise on purpose.

    ``hint`` says what the reader can do about the error, or is empty.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        self.cause = _as_sentence(message)
        self.hint = _as_sentence(hint)
        super().__init__(f"{self.cause} {self.hint}" if hint else self.cause)


class ConfigurationError(NanobotMemoryError):
    """A configuration file or value cannot be used."""


class PluginError(NanobotMemoryError):
    """A plugin cannot be loaded or used."""


class InputError(NanobotMemoryError):
    """The input or the output path of a command cannot be used."""


class WrongUseError(InputError):
    """An option or argument of a command has an invalid value."""


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
    """No request was sent: the day's budget of the purpose is used up, or it is paused after repeated failures."""


def log_text(error: BaseException) -> str:
    """Return an error as text for a log: the message of our own errors, only the type of others.

    The message of another error may contain values of the user's.
    """
    return str(error) if isinstance(error, NanobotMemoryError) else type(error).__name__
