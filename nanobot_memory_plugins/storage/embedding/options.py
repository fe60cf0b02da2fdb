"""The options of embedding, as they are in a configuration file."""

from typing import Literal

from pydantic import Field

from nanobot_memory_plugins.core import PluginOptions


class EmbeddingOptions(PluginOptions):
    """Which model turns texts into vectors, and where it runs.

    ``model`` is an alias (``multilingual``, ``chinese``, ``english``), a name of fastembed's catalogue,
    or a folder with ``model.onnx`` and ``tokenizer.json``. The provider ``openai`` is any server with an
    OpenAI-compatible ``/embeddings``; its key is read from the environment variable that ``api_key_env``
    names, never from a file.
    """

    provider: Literal["fastembed", "openai", "none"] = Field("fastembed", description="Where the model runs.")
    model: str = Field("multilingual", min_length=1, description="Alias, name or folder of a local model.")
    threads: int | None = Field(
        None,
        ge=1,
        description="CPU threads of the model; when not given, one for the built-in model and all cores for others.",
    )
    batch_size: int = Field(16, ge=1, le=1024, description="Texts in one run of the model, or one request.")
    base_url: str | None = Field(None, description="Address before /embeddings; OpenAI's when not given.")
    api_key_env: str | None = Field(None, description="Environment variable that holds the key.")
    remote_model: str = Field("text-embedding-3-small", min_length=1, description="Name of a remote model.")
    timeout: float = Field(30.0, gt=0, description="Seconds for one remote request.")
