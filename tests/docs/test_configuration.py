"""docs/configuration.md says what the options say."""

import importlib.util
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def maker():
    spec = importlib.util.spec_from_file_location("make_configuration", DOCS / "make_configuration.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_options_make(maker):
    assert (DOCS / "configuration.md").read_text(encoding="utf-8") == maker.page(), "run docs/make_configuration.py"


def test_the_chinese_page_is_what_the_options_and_the_catalogue_make(maker):
    written = (DOCS / "zh" / "configuration.md").read_text(encoding="utf-8")
    assert written == maker.chinese_page(), "run docs/make_configuration.py"
    rows = [line for line in written.splitlines() if line.startswith("| `")]
    assert len(rows) > 100
    assert [row for row in rows if not re.search("[一-鿿]", row.rpartition(" | ")[2])] == []


def test_every_option_says_what_it_means(maker):
    silent = [
        f"{plugin}.{key}"
        for plugin, model in maker.MODELS.items()
        for key, field, _ in maker.options(model)
        if not field.description
    ]
    assert silent == []
