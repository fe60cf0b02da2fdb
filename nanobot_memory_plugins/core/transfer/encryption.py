"""Archives that are encrypted with a passphrase: files of age (age-encryption.org), which its own program reads, too.

The archive is packed, encrypted and decrypted in memory, so that nothing of it stands on a disk unencrypted; what is
larger than that allows is refused. Every byte is authenticated before the first one is used.
"""

import io
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from typing_extensions import Buffer

from nanobot_memory_plugins.core.errors import InputError, NotInstalledError
from nanobot_memory_plugins.redaction.script.messages import Sentence

SUFFIX: Final = ".age"
# Bytes of an archive, packed, that is encrypted or decrypted: it is held up to three times at once.
MOST_ENCRYPTED = 1 << 28
_EXTRA: Final = "encryption"
_BEGINS = (b"age-encryption.org/", b"-----BEGIN AGE ENCRYPTED FILE-----")
# How the library says that no passphrase fits; all else that it says is of a file that is not whole.
_WRONG, _FOR_A_KEY = "Decryption failed", "No matching keys found"
_OTHER_PROGRAM = "Encrypt it with the program age instead, or keep it on an encrypted disk: docs/keeping.md."


class WrongPassphraseError(InputError):
    """The passphrase of an encrypted archive is another one."""


class PackedInMemory(io.BytesIO):
    """Where an archive is packed that is to be encrypted. Raises `InputError` when it becomes too large."""

    def write(self, data: Buffer, /) -> int:
        """Take bytes of the archive."""
        if self.tell() + memoryview(data).nbytes > MOST_ENCRYPTED:
            raise InputError(
                Sentence("The archive is larger than the {most:,} bytes that are encrypted.", most=MOST_ENCRYPTED),
                hint=_OTHER_PROGRAM,
            )
        return super().write(data)


def is_encrypted(path: Path) -> bool:
    """Return whether a file is one of age, by what it begins with. It blocks."""
    try:
        with path.open("rb") as file:
            return file.read(64).startswith(_BEGINS)
    except OSError:
        return False


def check_installed() -> None:
    """Raise `NotInstalledError` where nothing is installed that encrypts."""
    _age()


def encrypted(data: bytes, passphrase: str) -> bytes:
    """Return an archive encrypted. It takes a second or two, and much memory: a passphrase is to be costly to guess."""
    done: bytes = _age().passphrase.encrypt(data, passphrase)
    return done


def decrypted(path: Path, passphrase: str) -> io.BytesIO:
    """Return the archive in an encrypted file. It blocks, as long as `encrypted` does.

    Raises `WrongPassphraseError`, `InputError` where the file is not whole, is encrypted for a key, or too large, and
    `NotInstalledError`.
    """
    age = _age()
    if not passphrase:
        raise WrongPassphraseError(
            Sentence("{name} is encrypted.", name=path.name), hint="Give its passphrase; nothing was changed."
        )
    try:
        with path.open("rb") as file:
            data = file.read(MOST_ENCRYPTED + 1)
    except OSError as error:
        raise InputError(
            Sentence("{path} cannot be read: {why}.", path=path, why=error.strerror), hint="Check that it can be read."
        ) from error
    if len(data) > MOST_ENCRYPTED:
        raise InputError(
            Sentence(
                "{name} is larger than the {most:,} bytes that are decrypted.", name=path.name, most=MOST_ENCRYPTED
            ),
            hint="Decrypt it with the program age, and import what comes out; nothing was taken.",
        )
    try:
        return io.BytesIO(age.passphrase.decrypt(data, passphrase))
    except age.DecryptError as error:
        raise _refused(path, str(error)) from None


def _refused(path: Path, said: str) -> InputError:
    if said == _WRONG:
        return WrongPassphraseError(
            Sentence("The passphrase of {name} is another one.", name=path.name),
            hint="Give the one that it was encrypted with; nothing was changed.",
        )
    if said == _FOR_A_KEY:
        return InputError(
            Sentence("{name} is encrypted for a key, and not with a passphrase.", name=path.name),
            hint="Decrypt it with the program age, and import what comes out; nothing was taken.",
        )
    return InputError(
        Sentence("{name} is no whole encrypted archive: it may have been cut off or changed.", name=path.name),
        hint="Copy it again from where it was made; nothing was taken.",
    )


def _age() -> Any:
    try:
        return import_module("pyrage")
    except ImportError as error:
        raise NotInstalledError(
            "What encrypts archives is not installed.",
            hint=Sentence("Install it: pip install 'nanobot-memory-plugins[{extra}]'", extra=_EXTRA),
        ) from error
