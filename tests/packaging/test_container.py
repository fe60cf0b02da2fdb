"""The image of the default set: what is said where it cannot be built, and that it installs what is built."""

from pathlib import Path

import pytest

from release.container import BUILDERS, ROOT, builder
from release.running import ReleaseError


def program(folder: Path, name: str, status: int) -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\nexit {status}\n", encoding="utf-8")
    file.chmod(0o755)


def test_a_builder_that_answers_is_taken_and_none_is_said_to_be_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ReleaseError, match="nothing to build an image with"):
        builder()
    program(tmp_path, BUILDERS[0], 1)
    with pytest.raises(ReleaseError, match="does not answer"):
        builder()
    program(tmp_path, BUILDERS[1], 0)
    assert builder() == BUILDERS[1]


def test_the_image_installs_from_the_wheels_that_are_built_and_runs_as_no_root():
    lines = (ROOT / "release" / "image" / "Dockerfile").read_text(encoding="utf-8").splitlines()
    install = next(line for line in lines if "pip install" in line)
    copied = next(line for line in lines if line.startswith("COPY wheels"))
    assert f"--find-links {copied.split()[-1]}" in install
    assert lines.index("USER agent") > lines.index(install)
    assert "VOLUME /home/agent/.nanobot" in lines
