"""The list of what an archive holds, with the hash of every file."""

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

MANIFEST: Final = "manifest.json"
FORMAT: Final = "nanobot-memory-export"
# The version of the archive's form that is written, and the newest that is read.
VERSION: Final = 1


class ManifestFile(BaseModel):
    """One file of the archive: its name in it, its bytes, their SHA-256, and when it was changed last (ISO 8601)."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    path: str
    size: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    modified: str = ""


class Manifest(BaseModel):
    """``manifest.json``. Fields that a later version adds are passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    format: Literal["nanobot-memory-export"] = FORMAT
    version: int = Field(VERSION, ge=1)
    made: str = ""
    program: str = ""
    about: str = ""
    files: tuple[ManifestFile, ...] = ()
