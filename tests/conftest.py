"""What tests of several parts share."""

import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

# What people read is compared in English, whatever language the machine speaks.
os.environ["LC_ALL"] = "C.UTF-8"
# Hundreds of programs are started, and each worker reads every test: without bytecode that takes three times as long.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The same examples in every run; NANOBOT_MEMORY_RANDOM=1 takes others, and pytest's ``--hypothesis-seed`` names them.
# How long they take to make tells of the machine alone. Environments of the adapters have no hypothesis.
with suppress(ImportError):
    from hypothesis import HealthCheck, settings

    settings.register_profile(
        "every run",
        deadline=None,
        derandomize="NANOBOT_MEMORY_RANDOM" not in os.environ,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )
    settings.load_profile("every run")

# What collecting makes lives until the end: a look through it all finds nothing, and takes half a second. The process
# that hands tests out collects none, and makes no garbage that is worth a look.
gc.disable()

_TESTS = Path(__file__).parent
# Folders whose tests run the installed nanobot, and those that hold documents and packages to what they say.
_HOST = ("bridge", "scenarios", "local_model")
_REPO = ("docs", "packaging", "test_acceptance.py")
# Files most of whose tests run several processes, a terminal or whole hosts, or read megabytes.
_SLOW = {
    "benchmarks/test_forgetting.py",
    "bridge/test_compaction_plugin.py",
    "bridge/test_former_content.py",
    "consolidation/test_audit.py",
    "consolidation/test_document.py",
    "consolidation/test_journal_parts.py",
    "faults/test_damage.py",
    "files/test_pipes_and_links.py",
    "files/test_processes.py",
    "flush/test_decision_cost.py",
    "panel/test_actions.py",
    "panel/test_views.py",
    "redaction/test_cost.py",
    "redaction/test_made_corpus.py",
    "redaction/test_redact_command.py",
    "scenarios/test_nanobot_triggers.py",
    "scopes/test_no_leaks.py",
    "storage/test_chunking.py",
    "storage/test_vector_loading.py",
    "store/test_faulty_search.py",
    "together/test_scrub.py",
    "together/test_standard_install.py",
    "transfer/test_broken_off.py",
    "typical/test_typical_questions.py",
}

# Files of few tests that take long: what begins last ends last, so that these begin first, the longest ahead.
_LONG = (
    "mcp/test_claude_plugin",
    "packaging/test_distributions",
    "bridge/test_demo",
    "bridge/test_demo_store",
    "faults/test_points",
    "bridge/test_compaction_plugin",
    "scenarios/test_matrix",
    "panel/test_views",
    "panel/test_actions",
    "embedding/test_installation",
    "bridge/test_stock_nanobot",
    "plugin_host/test_hostile_plugins",
    "postgres/test_no_leaks",
    "docs/test_command_lines",
    "host/test_resume",
    "cli/test_catalogues",
    "docs/test_type_checkers",
)


def pytest_configure(config: pytest.Config) -> None:
    """Keep the order of the files where they are handed out to processes, which is by their number of tests else."""
    config.option.loadscopereorder = False


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by their folder, and leave the slow ones out of a run of all that names no mark."""
    for item in items:
        place = item.path.relative_to(_TESTS) if item.path.is_relative_to(_TESTS) else Path()
        folder = place.parts[0] if place.parts else ""
        if folder in _HOST:
            item.add_marker(pytest.mark.host)
        if folder in _REPO:
            item.add_marker(pytest.mark.repo)
        if place.as_posix() in _SLOW:
            item.add_marker(pytest.mark.slow)
    if hasattr(config, "workerinput"):
        places = {_TESTS / f"{file}.py": place for place, file in enumerate(_LONG)}
        items.sort(key=lambda item: places.get(item.path, len(places)))
    whole = all((config.rootpath / argument).resolve() in (config.rootpath, _TESTS) for argument in config.args)
    if whole and not config.option.markexpr and not config.option.keyword:
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("slow")])
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


def pytest_collection_finish() -> None:
    """Leave what was collected out of every later look for garbage, and look through all that is old less often."""
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, 100)
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return how many workers ``-n auto`` means: one more than cores, for many tests wait for limits and processes."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(scope="session")
def builtin_model() -> Path:
    """The folder of the built-in embedding model, built once into the cache of whoever runs the tests.

    ``NANOBOT_MEMORY_CACHE`` names another cache.
    """
    from nanobot_memory_plugins.search.embedding.installation import install

    return install()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let SIGINT interrupt this process and those that it starts.

    What a shell without job control starts in the background ignores it, and so do its children.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
