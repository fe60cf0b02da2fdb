"""Finds embedding models by name, on this machine only; just `pull` uses the network."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.errors import ConfigurationError, EmbeddingError
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.embedding.installation import (
    BUILTIN_NAME,
    builtin_directory,
    hub_directory,
    install,
    is_installed,
    missing_extra_error,
)

DEFAULT_MODEL = "multilingual"
ALIASES = {
    DEFAULT_MODEL: BUILTIN_NAME,
    "chinese": "BAAI/bge-small-zh-v1.5",
    "english": "sentence-transformers/all-MiniLM-L6-v2",
}
# Where exporters write the graph, the most common path first.
_GRAPH_FILES = ("model.onnx", "model_optimized.onnx", "onnx/model.onnx")
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json")
_OPTIONAL_FILES = ("config.json", "special_tokens_map.json", "preprocessor_config.json")


class ModelOrigin(StrEnum):
    """Where a model comes from."""

    BUILTIN = "builtin"
    FOLDER = "folder"
    HUB = "hub"


@dataclass(frozen=True, slots=True)
class Model:
    """An embedding model.

    ``folder`` holds its files, and is None while they are not on this machine. ``graph_file`` is relative to it. A
    model of fastembed's catalogue has a ``repository`` on the hub, and ``additional_files`` there.
    """

    name: str
    origin: ModelOrigin
    folder: Path | None
    graph_file: str = "model.onnx"
    repository: str = ""
    additional_files: tuple[str, ...] = ()

    @property
    def hub_files(self) -> tuple[str, ...]:
        """The files that are required to load it, relative to the repository."""
        return (self.graph_file, *self.additional_files, *_TOKENIZER_FILES)


def find_model(name: str) -> Model:
    """Find a model: first a folder on disk, then the aliases, then fastembed's catalogue.

    It reads the disk and uses no network. Raises `ConfigurationError` for an unknown name, and `EmbeddingError` when
    the catalogue is needed and fastembed is not installed.
    """
    folder = Path(os.path.expanduser(name))  # Path.expanduser raises for an unknown user
    if folder.is_dir():
        if is_installed(folder):
            return Model(BUILTIN_NAME, ModelOrigin.BUILTIN, folder.resolve())
        graph_file = next((file for file in _GRAPH_FILES if (folder / file).is_file()), None)
        if graph_file is not None and (folder / "tokenizer.json").is_file():
            return Model(str(folder.resolve()), ModelOrigin.FOLDER, folder.resolve(), graph_file)
    full_name = ALIASES.get(name.lower(), name)
    if full_name == BUILTIN_NAME:
        return Model(BUILTIN_NAME, ModelOrigin.BUILTIN, builtin_directory() if is_installed() else None)
    for hub in hub_models():
        if hub.name.lower() == full_name.lower():
            return replace(hub, folder=_cached_folder(hub))
    if folder.is_dir():
        raise ConfigurationError(
            Sentence("The folder {folder} holds no embedding model.", folder=folder),
            hint="It needs model.onnx, tokenizer.json and tokenizer_config.json.",
        )
    raise ConfigurationError(
        Sentence("There is no embedding model {name!r}.", name=name),
        hint=Sentence(
            "Use one of {aliases}, a name of fastembed's catalogue, or an existing folder.", aliases=", ".join(ALIASES)
        ),
    )


def pull(name: str) -> Model:
    """Install a model on this machine and return it with its folder.

    It builds the built-in model and downloads others from the hub. Raises `ConfigurationError` for an unknown name,
    and `EmbeddingError` when that fails.
    """
    model = find_model(name)
    if model.origin is ModelOrigin.BUILTIN:
        install()
    elif model.origin is ModelOrigin.HUB and model.folder is None:
        _download(model)
    return find_model(name)


def hub_models() -> Iterator[Model]:
    """Yield fastembed's catalogue, without folders. Raises `EmbeddingError` when fastembed is not installed."""
    try:
        from fastembed import TextEmbedding
    except ImportError as error:
        raise missing_extra_error(error) from error
    description: dict[str, Any]
    for description in TextEmbedding.list_supported_models():
        repository = description["sources"]["hf"]
        if repository:
            files = description["model_file"], repository, tuple(description["additional_files"])
            yield Model(description["model"], ModelOrigin.HUB, None, *files)


def size_on_disk(folder: Path) -> int:
    """Return the bytes of a model's files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _cached_folder(hub: Model) -> Path | None:
    """Return the snapshot in the local cache that has every file, or None."""
    from huggingface_hub import constants, try_to_load_from_cache

    for cache in (hub_directory(), Path(constants.HF_HUB_CACHE)):
        paths = [try_to_load_from_cache(hub.repository, file, cache_dir=cache) for file in hub.hub_files]
        if all(isinstance(path, str) for path in paths):
            return Path(str(paths[-1])).parent
    return None


def _download(hub: Model) -> None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled

    try:
        snapshot_download(hub.repository, cache_dir=hub_directory(), allow_patterns=[*hub.hub_files, *_OPTIONAL_FILES])
    except (HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled, OSError) as error:
        # The hub's library raises LocalEntryNotFoundError when it found the files neither on the hub nor locally.
        unreachable = isinstance(error, LocalEntryNotFoundError)
        reason = "the hub cannot be reached" if unreachable else type(error).__name__
        raise EmbeddingError(
            Sentence("The model {name} could not be fetched: {why}.", name=hub.name, why=reason),
            hint=Sentence(
                "Check the connection (HF_ENDPOINT names a mirror, HF_HUB_OFFLINE forbids it), copy the "
                "model's folder here and name it as model, or use the built-in {default_model!r}.",
                default_model=DEFAULT_MODEL,
            ),
        ) from error
