"""Each benchmark can be run by its name, as docs say."""

import importlib
import pkgutil

import benchmarks
from benchmarks.__main__ import SHARED
from tests.support.each import each

NAMES = [module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.name not in SHARED]


@each("name", NAMES)
def test_a_benchmark_has_what_is_called_by_its_name(name: str):
    assert callable(importlib.import_module(f"benchmarks.{name}").main)
