"""Embedding by a server with an OpenAI-compatible ``POST <base_url>/embeddings``.

The client is httpx: fastembed and nanobot install it already, and the standard library's client has neither persistent
connections nor separate time limits for connecting and reading.
"""

import os
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential, wait_random

from nanobot_memory_plugins.core.errors import EmbeddingError
from nanobot_memory_plugins.core.text.markdown import clean_markdown
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.embedding.local_provider import unit_vectors
from nanobot_memory_plugins.storage.options import EmbeddingOptions

if TYPE_CHECKING:
    import httpx

OPENAI_BASE_URL = "https://api.openai.com/v1"
OPENAI_KEY_VARIABLE = "OPENAI_API_KEY"
ATTEMPTS = 4
FIRST_WAIT_SECONDS = 0.5
_HINTS = {
    400: "Check the model's name and the length of the texts.",
    401: "Check the key in {key}.",
    403: "Check the rights of the key in {key}.",
    404: "Check base_url (it ends before /embeddings) and remote_model.",
    413: "Use a smaller batch_size.",
    429: "The server's limit is reached: wait, or use a smaller batch_size.",
}


class _TransientError(EmbeddingError):
    """A failure that may pass: the request is worth retrying."""


class RemoteEmbedder:
    """An embedder over a server. Any thread may call it.

    The constructor requests one vector, which blocks, and raises `EmbeddingError`. 429, 5xx and connection errors are
    retried up to three times, after 0.5 s at first and longer each time; ``retry_sleep`` replaces the sleep.
    """

    def __init__(self, options: EmbeddingOptions, *, retry_sleep: Callable[[float], None] = time.sleep) -> None:
        self._model = options.remote_model
        self._base_url = (options.base_url or OPENAI_BASE_URL).rstrip("/")
        # The default key variable is OpenAI's and only sent to OpenAI; for another server it has to be configured.
        self._key_variable = options.api_key_env or ("" if options.base_url else OPENAI_KEY_VARIABLE)
        self._batch_size = options.batch_size
        self._retry_sleep = retry_sleep
        # The address is part of the name because servers give different models the same name.
        self.name = f"{self._model}@{sha256(self._base_url.encode()).hexdigest()[:8]}"
        self._client = self._open(options.timeout)
        try:
            self.dimension = len(self._request(["probe"], None)[0])
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def encode(self, texts: str | Sequence[str]) -> list[list[float]]:
        """Return one vector of unit length per text, in order; a single string counts as a list of one.

        Raises `EmbeddingError` when the server does not answer, or not with vectors.
        """
        # OpenAI refuses empty texts, and with them the whole batch.
        batch = [clean_markdown(text) or " " for text in ([texts] if isinstance(texts, str) else texts)]
        vectors: list[list[float]] = []
        for start in range(0, len(batch), self._batch_size):
            vectors += self._request(batch[start : start + self._batch_size], self.dimension)
        return vectors

    def _open(self, timeout: float) -> "httpx.Client":
        try:
            import httpx
        except ImportError as error:
            raise EmbeddingError(
                "A remote embedding server needs the package httpx, which is not installed.",
                hint='Install it with: pip install "nanobot-memory-storage[remote]"',
            ) from error
        headers = {}
        if self._key_variable:
            key = os.environ.get(self._key_variable, "").strip()
            if not key:
                raise EmbeddingError(
                    Sentence(
                        "The environment variable {key_variable} holds no key for the embedding server.",
                        key_variable=self._key_variable,
                    ),
                    hint=Sentence(
                        "Set {key_variable}, or name another variable as api_key_env.", key_variable=self._key_variable
                    ),
                )
            headers["Authorization"] = f"Bearer {key}"
        try:
            return httpx.Client(headers=headers, timeout=timeout)
        except (ValueError, OSError, ImportError) as error:  # a bad key, proxy or certificate variable
            raise EmbeddingError(Sentence("No HTTP client can be made ({kind}).", kind=type(error).__name__)) from error

    def _request(self, texts: list[str], dimension: int | None) -> list[list[float]]:
        retrying = Retrying(
            retry=retry_if_exception_type(_TransientError),
            stop=stop_after_attempt(ATTEMPTS),
            wait=wait_exponential(multiplier=FIRST_WAIT_SECONDS) + wait_random(0, 0.25),
            sleep=self._retry_sleep,
            reraise=True,
        )
        response = retrying(self._post, texts)
        try:  # servers may return the vectors in another order
            rows = {item["index"]: item["embedding"] for item in response.json()["data"]}
            ordered = [rows[place] for place in range(len(texts))]
        except (KeyError, TypeError, ValueError) as error:
            raise EmbeddingError(
                Sentence("{place} did not answer with one vector per text.", place=self._server_name),
                hint="Check base_url and remote_model.",
            ) from error
        return unit_vectors(ordered, source=f"The embedding server of {self._model}", dimension=dimension)

    def _post(self, texts: list[str]) -> "httpx.Response":
        """Return the response to a request. Errors leave out the server's text, which may contain keys and texts."""
        import httpx

        body = {"model": self._model, "input": texts, "encoding_format": "float"}
        try:
            response = self._client.post(f"{self._base_url}/embeddings", json=body)
        except (httpx.InvalidURL, httpx.HTTPError) as error:
            raise _TransientError(
                Sentence("{place} cannot be reached ({kind}).", place=self._server_name, kind=type(error).__name__),
                hint="Check base_url, or raise timeout.",
            ) from error
        status = response.status_code
        if status != httpx.codes.OK:
            is_transient = status == httpx.codes.TOO_MANY_REQUESTS or status >= httpx.codes.INTERNAL_SERVER_ERROR
            raise (_TransientError if is_transient else EmbeddingError)(
                Sentence(
                    "{place} answered {status} {reason_phrase}.",
                    place=self._server_name,
                    status=status,
                    reason_phrase=response.reason_phrase,
                ),
                hint=_HINTS.get(status, "").format(key=self._key_variable or "(none: api_key_env is not set)"),
            )
        return response

    @property
    def _server_name(self) -> str:
        """The server as messages name it, without any password or key in the address."""
        address = urlsplit(self._base_url)
        host = address.netloc.rpartition("@")[2]
        return Sentence("The embedding server {address}", address=f"{address.scheme}://{host}{address.path}")
