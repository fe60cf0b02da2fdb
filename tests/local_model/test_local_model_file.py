"""The model's file is joined from installed parts: made ones here, small, and of the same shape as the real."""

import hashlib
import random
import tomllib
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.errors import LanguageModelError
from nanobot_memory_plugins.tools.local_model.file import QWEN_CODER, PartedModel, is_joined, local_model_file

ROOT = Path(__file__).parents[2]
PART_BYTES = 1_500_000  # more than one block


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("NANOBOT_MEMORY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def site(tmp_path, monkeypatch) -> Path:
    """A folder in which distributions are installed."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


def part_file(site: Path, number: int) -> Path:
    return site / f"made_model_part{number}" / "data" / f"part{number:02d}.bin"


def install_part(site: Path, number: int, content: bytes) -> None:
    part_file(site, number).parent.mkdir(parents=True)
    part_file(site, number).write_bytes(content)
    information = site / f"made_model_part{number}-0.1.0.dist-info"
    information.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: made-model-part{number}\nVersion: 0.1.0\n"
    (information / "METADATA").write_text(metadata, encoding="utf-8")


def made_model(contents: list[bytes]) -> PartedModel:
    whole = b"".join(contents)
    return PartedModel(
        name="made-model",
        stem="made-model-part",
        count=len(contents),
        version="0.1.0",
        size=len(whole),
        sha256=hashlib.sha256(whole).hexdigest(),
    )


@pytest.fixture
def contents() -> list[bytes]:
    source = random.Random(7)
    return [source.randbytes(PART_BYTES) for _ in range(11)]  # 10 and 11 come after 9, not after 1


@pytest.fixture
def model(site, contents) -> PartedModel:
    for number, content in enumerate(contents, 1):
        install_part(site, number, content)
    return made_model(contents)


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file()}


def test_the_parts_are_joined_in_order(model, contents, cache):
    file = local_model_file(model=model)
    assert file.is_relative_to(cache)
    assert file.read_bytes() == b"".join(contents)
    assert is_joined(model)


def test_parts_of_another_model_are_refused_and_leave_nothing(model, site, cache):
    part_file(site, 4).write_bytes(bytes(PART_BYTES))
    with pytest.raises(LanguageModelError, match="checksum") as raised:
        local_model_file(model=model)
    assert "--force-reinstall made-model-part{1..11}==0.1.0" in raised.value.hint
    assert not is_joined(model)
    assert files(cache) <= {"made-model.gguf.lock"}


def test_the_dependency_group_lists_every_part_of_the_model():
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    parts = {f"{QWEN_CODER.stem}{number}=={QWEN_CODER.version}" for number in range(1, QWEN_CODER.count + 1)}
    assert {name for name in groups["local-model"] if name.startswith(QWEN_CODER.stem)} == parts
    assert not [name for name in groups["dev"] if name.startswith(QWEN_CODER.stem)]
