"""A framework that is not installed: what is said, and what does not need it."""

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


def test_httpx_is_loaded_with_the_framework_before_the_memory_has_a_thread():
    code = """import sys
from nanobot_memory_plugins.hosts.framework import framework
assert "httpx" not in sys.modules
with framework("adk"):
    pass
print("httpx" in sys.modules)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "True\n"


def test_the_distribution_alone_imports_no_framework():
    code = "import sys, nanobot_memory_plugins.hosts, nanobot_memory_plugins.hosts.framework; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert not {"langchain", "langgraph", "pydantic_ai", "agents", "google.adk"} & set(done.stdout.split())


@pytest.mark.parametrize("module", ADAPTER_MODULES)
def test_an_adapter_says_how_to_get_its_framework(module):
    """With every framework hidden, as it is where none is installed."""
    hidden = "for name in ('agents', 'google.adk', 'langchain', 'pydantic_ai'): sys.modules[name] = None"
    code = f"import sys\n{hidden}\nimport nanobot_memory_plugins.hosts.{module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert (
        f"pip install 'nanobot-memory-hosts[{'adk' if 'adk' in module else module.replace('_', '-')}]'" in done.stderr
    )


def test_every_adapter_has_an_extra_with_a_least_and_a_last_version():
    text = (NAMESPACE / "hosts" / "pyproject.toml").read_text(encoding="utf-8")
    extras = tomllib.loads(text)["project"]["optional-dependencies"]
    assert set(ADAPTERS) == set(extras) - {"plugins"}
    for adapter in ADAPTERS:
        assert {one.operator for one in Trial(adapter, "minimum").framework.specifier} == {">=", "<"}
