"""What the system says when it refuses something: it stands as the reason in sentences of ours."""

from typing import Final

SYSTEM_ERRORS: Final = (
    "Address already in use",
    "Bad file descriptor",
    "Broken pipe",
    "Cannot assign requested address",
    "Connection refused",
    "Directory not empty",
    "Disk quota exceeded",
    "File exists",
    "File name too long",
    "File too large",
    "Input/output error",
    "Invalid argument",
    "Is a directory",
    "No space left on device",
    "No such file or directory",
    "Not a directory",
    "Operation not permitted",
    "Permission denied",
    "Read-only file system",
    "Text file busy",
    "Too many levels of symbolic links",
    "Too many open files",
)
"""As Linux and macOS say it."""
