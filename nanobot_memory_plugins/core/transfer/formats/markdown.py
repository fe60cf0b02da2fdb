"""A folder of Markdown."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.transfer.formats.markdown_notes import markdown_items
from nanobot_memory_plugins.core.transfer.formats.reading import files_below
from nanobot_memory_plugins.core.transfer.formats.vault import LOGS, SUFFIXES, vault_files
from nanobot_memory_plugins.core.transfer.importer import Item, Part, Skipped
from nanobot_memory_plugins.core.transfer.manifest import MANIFEST
from nanobot_memory_plugins.core.values import Origin
from nanobot_memory_plugins.redaction.script.messages import Sentence


def is_memory(folder: Path) -> bool:
    """Return whether a folder is a workspace of this program, its memory folder, or an export that was unpacked."""
    return any((memory / ".locks").is_dir() for memory in (folder, folder / "memory")) or (
        (folder / MANIFEST).is_file() and (folder / "memory").is_dir()
    )


@dataclass(frozen=True, slots=True)
class MarkdownImporter:
    """Reads the Markdown files below a folder, or one file: a note a section. A vault of Obsidian or Logseq is one.

    They are the user's notes, and nobody's word: a page that was pasted is one, too. They are found and recalled, and
    learned from no more than what the assistant said. What is read again takes the place of what was read before.
    ``logs`` takes large files and logs, too; ``encoding`` is that of files that are no UTF-8, else it is guessed.
    """

    logs: bool = False
    encoding: str = ""

    label: ClassVar[str] = Sentence("a folder of Markdown")
    follows: ClassVar[bool] = True

    def recognises(self, source: Path) -> bool:
        """Return whether there is Markdown in it."""
        if source.is_file():
            return source.suffix.lower() in SUFFIXES
        return next(files_below(source, SUFFIXES), None) is not None

    def logs_in(self, source: Path) -> list[Path]:
        """Return the large files and logs of a folder, which are left unless ``logs`` is set."""
        return [path for path, unfit in vault_files(source) if unfit in LOGS] if source.is_dir() else []

    def read(self, source: Path, workspace: Path) -> Iterator[Item]:
        """Yield the notes of every file. Raises `InputError` where there is no Markdown, or a memory of ours."""
        own = MemoryPaths.of(workspace).memory.resolve()
        if source.resolve().is_relative_to(own):
            raise InputError(
                Sentence("{source} is this memory's own folder.", source=source),
                hint="What stands in it is part of the memory already.",
            )
        if is_memory(source):
            raise InputError(
                Sentence("{source} is a memory of this program.", source=source),
                hint="Run `nanobot-memory export` there; import the archive.",
            )
        files = [(source, "")] if source.is_file() else list(vault_files(source))
        if not any(path.suffix.lower() in SUFFIXES for path, _ in files):
            raise InputError(
                Sentence("There is no Markdown in {source}.", source=source),
                hint="Name the folder that holds the .md files.",
            )
        root = source.parent if source.is_file() else source
        for done, (path, unfit) in enumerate(files):
            name = path.relative_to(root).as_posix()
            yield Part(name, done, len(files))
            if self.logs and unfit in LOGS:
                unfit = ""
            if not unfit and path.resolve().is_relative_to(own):
                unfit = Sentence("it is part of this memory already")
            if unfit:
                yield Skipped(unfit, name)
            else:
                yield from markdown_items(
                    path, name, origin=Origin.NOTES, tags=("imported",), is_vault=True, encoding=self.encoding
                )
