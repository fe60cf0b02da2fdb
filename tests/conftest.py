"""Fixtures and settings for all tests."""

import functools
import gc
import os
import re
import signal
import ssl
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from platformdirs import user_cache_dir

# The user's embedding model, since each host with another home folder would build one.
os.environ.setdefault("NANOBOT_MEMORY_CACHE", user_cache_dir("nanobot-memory"))
# Texts are compared in English, whatever the machine's language.
os.environ["LC_ALL"] = "C.UTF-8"
# Bytecode saves two thirds of the time of starting hundreds of programs and loading all tests in each worker.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The same examples in every run. NANOBOT_MEMORY_RANDOM=1 takes others, by pytest's ``--hypothesis-seed``.
# There is no deadline, since times depend on the machine. The adapters' environments have no hypothesis.
with suppress(ImportError):
    from hypothesis import HealthCheck, settings
    from hypothesis.internal.conjecture import providers

    settings.register_profile(
        "every run",
        deadline=None,
        derandomize="NANOBOT_MEMORY_RANDOM" not in os.environ,
        max_examples=100 if "NANOBOT_MEMORY_RANDOM" in os.environ else 20,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )
    settings.load_profile("every run")
    if "NANOBOT_MEMORY_RANDOM" not in os.environ:
        # They also took what stands in all modules that this process has loaded, whichever these are: half a second.
        providers._get_local_constants = providers.Constants


# nanobot reads its skills as YAML for every prompt: in Python a third of the processor time of its tests, in C next to
# nothing.
with suppress(ImportError, AttributeError):
    import yaml

    yaml.SafeLoader = yaml.CSafeLoader  # type: ignore[assignment,misc]

# loguru looks up 28 folders of the interpreter whenever a log is set up. Each command does that, and here they run in
# one process: it would be a quarter of their time.
with suppress(ImportError, AttributeError):
    from loguru._better_exceptions import ExceptionFormatter

    ExceptionFormatter._get_lib_dirs = staticmethod(functools.cache(ExceptionFormatter._get_lib_dirs))

# typer reads the signatures of a command's functions, and has pydantic make models of its options, for each call.
with suppress(ImportError):
    from nanobot_memory_plugins.core.cli import command_group, language

    _make = functools.cache(lambda _language, name, target, make=command_group._build_command: make(name, target))
    command_group._build_command = lambda *named: _make(language.current_language(), *named)

# Each client of HTTP reads the certificates of all authorities, 30 ms, and none here speaks TLS.
ssl.create_default_context = functools.cache(ssl.create_default_context)

# What collecting makes lives until the end: a look through it all finds nothing, and takes half a second. The process
# that hands tests out collects none, and makes no garbage that is worth a look.
gc.disable()

_TESTS = Path(__file__).parent
# nanobot takes seconds to load: one process runs all that need it. Other tests are handed out by the file.
_NANOBOT = re.compile(r"tests/(bridge/|scopes/test_nanobot|behaviour/hosts/test_(nanobot|forty|backstop))")
with suppress(ImportError):
    from xdist.scheduler import LoadFileScheduling

    LoadFileScheduling._split_scope = lambda _self, test: "nanobot" if _NANOBOT.match(test) else test.partition("::")[0]
# Folders whose tests run the installed nanobot, and those that hold documents and packages to what they say.
_HOST = ("bridge",)
_REPO = ("docs", "packaging")


def pytest_configure(config: pytest.Config) -> None:
    """Keep the order of the files for the workers, since xdist would sort them by their number of tests."""
    config.option.loadscopereorder = False


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by their folder, and leave out slow ones from a run of whole folders without marks."""
    for item in items:
        place = item.path.relative_to(_TESTS) if item.path.is_relative_to(_TESTS) else Path()
        folder = place.parts[0] if place.parts else ""
        if folder in _HOST:
            item.add_marker(pytest.mark.host)
        if folder in _REPO:
            item.add_marker(pytest.mark.repo)
    if hasattr(config, "workerinput"):  # what begins last ends last: what is long, and what waits for servers, is first
        items.sort(key=lambda item: (not _NANOBOT.match(item.nodeid), "postgres" not in item.path.parts))
    whole = all((config.invocation_params.dir / argument).is_dir() for argument in config.args)
    if whole and not config.option.markexpr and not config.option.keyword:
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("slow")])
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


def pytest_collection_finish() -> None:
    """Exclude the collected tests from later garbage collections, and make full collections less frequent."""
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, 100)
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return the workers of ``-n auto``: two more than cores, since some tests wait for limits and processes."""
    return (os.cpu_count() or 1) + 2


@pytest.fixture(scope="session")
def builtin_model() -> Path:
    """The folder of the built-in embedding model, built once into the user's cache.

    ``NANOBOT_MEMORY_CACHE`` names another cache.
    """
    from nanobot_memory_plugins.storage.embedding.installation import install

    return install()


@pytest.fixture
def installed_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Return a function that installs a plugin, by name and module source, until the test ends."""
    from nanobot_memory_plugins.core.testing import install_plugin

    def install(name: str, source: str) -> None:
        folder = tmp_path / f"site-{name}"
        folder.mkdir()
        install_plugin(folder, monkeypatch, name, source)

    return install


@pytest.fixture
def warnings() -> Iterator[list[str]]:
    """The log messages of level warning and above."""
    from loguru import logger

    lines: list[str] = []
    sink = logger.add(lambda message: lines.append(str(message)), level="WARNING", format="{message}")
    yield lines
    logger.remove(sink)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let SIGINT interrupt this process and its children.

    A shell without job control starts background processes that ignore it.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
