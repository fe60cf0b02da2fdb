"""Third-party plugins in a real host."""

from collections.abc import Callable

import pytest


@pytest.fixture
def third_party(installed_plugin: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Install plugins from source. Of all other plugins only those in ``beside`` are loaded."""
    names: list[str] = []

    def install(name: str, source: str, *beside: str) -> None:
        installed_plugin(name, source)
        names.extend([name, *beside])
        monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", ",".join(names))

    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "")
    return install
