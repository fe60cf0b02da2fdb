"""Error messages and imports without an installed framework."""

import subprocess
import sys
import tomllib

import pytest

from nanobot_memory_plugins.hosts.framework import framework
from release.hosts import ADAPTERS, NAMESPACE, Trial

ADAPTER_MODULES = sorted(
    file.stem for file in (NAMESPACE / "hosts").glob("*.py") if 'with framework("' in file.read_text(encoding="utf-8")
)


def test_it_is_said_which_extra_brings_it():
    with pytest.raises(ImportError, match=r"pip install 'nanobot-memory-hosts\[langchain\]'"), framework("langchain"):
        import no_such_framework  # noqa: F401


def output_of(code: str) -> str:
    """Return the output of a new process, which has imported no framework."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True).stdout


def test_the_distribution_alone_imports_no_framework_and_httpx_comes_before_the_memory_has_a_thread():
    alone, loaded = output_of(
        """import sys, nanobot_memory_plugins.hosts
from nanobot_memory_plugins.hosts.framework import framework
print(*sys.modules)
with framework("adk"):
    pass
print(*sys.modules)"""
    ).splitlines()
    assert not {"langchain", "langgraph", "pydantic_ai", "agents", "google.adk", "httpx"} & set(alone.split())
    assert "httpx" in loaded.split()


def test_an_adapter_says_how_to_get_its_framework():
    """Hides every framework, as if none were installed."""
    told = output_of(
        f"""import importlib, sys
for name in ("agents", "google.adk", "langchain", "pydantic_ai"):
    sys.modules[name] = None
for module in {ADAPTER_MODULES}:
    try:
        importlib.import_module(f"nanobot_memory_plugins.hosts.{{module}}")
    except ImportError as error:
        print(module, error)"""
    )
    for module, line in zip(ADAPTER_MODULES, told.splitlines(), strict=True):
        extra = "adk" if "adk" in module else module.replace("_", "-")
        assert line.startswith(f"{module} ")
        assert f"pip install 'nanobot-memory-hosts[{extra}]'" in line


def test_every_adapter_has_an_extra_with_a_least_and_a_last_version():
    text = (NAMESPACE / "hosts" / "pyproject.toml").read_text(encoding="utf-8")
    extras = tomllib.loads(text)["project"]["optional-dependencies"]
    assert set(ADAPTERS) == set(extras) - {"plugins"}
    for adapter in ADAPTERS:
        assert {one.operator for one in Trial(adapter, "minimum").framework.specifier} == {">=", "<"}
