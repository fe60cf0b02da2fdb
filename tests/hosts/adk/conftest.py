"""Apps of the real kit, and a scripted model that speaks Gemini."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.hosts import HostEnvironment
from tests.support.wire_servers import GeminiServer


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HostEnvironment]:
    """A workspace and a model that speaks Gemini."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GOOGLE_API_KEY", "none")
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    with GeminiServer() as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.root_url)
        made = HostEnvironment(tmp_path, server)
        yield made
        made.close()
