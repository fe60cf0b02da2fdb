"""docs/configuration.md says what the options say."""

import importlib.util
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


def test_every_option_says_what_it_means(maker):
    silent = [
        f"{plugin}.{key}"
        for plugin, model in maker.MODELS.items()
        for key, field, _ in maker.options(model)
        if not field.description
    ]
    assert silent == []
