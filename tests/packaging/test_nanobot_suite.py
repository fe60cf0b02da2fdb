"""How nanobot's own tests with the memory and without it are compared."""

import subprocess
import sys
from pathlib import Path

import pytest

from release.nanobot_suite import differences, main, outcomes

SUITE = """
import pytest

class TestAll:
    @pytest.mark.parametrize("number", [1, 2])
    def test_passes(self, number):
        pass

def test_fails():
    raise AssertionError

@pytest.fixture
def broken():
    yield
    raise OSError

def test_that_ends_badly(broken):
    pass

@pytest.mark.skip
def test_left_out():
    pass
"""


def test_a_report_of_pytest_is_read_by_names_that_pytest_takes_again(tmp_path: Path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_some.py").write_text(SUITE, encoding="utf-8")
    report = tmp_path / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "junit_family=xunit1"]
    run = [*command, f"--junitxml={report}"]
    subprocess.run([*run, "tests"], cwd=tmp_path, capture_output=True, check=False)
    found = outcomes(report.read_text(encoding="utf-8"))
    assert found == {
        "tests/test_some.py::TestAll::test_passes[1]": "passed",
        "tests/test_some.py::TestAll::test_passes[2]": "passed",
        "tests/test_some.py::test_fails": "failed",
        "tests/test_some.py::test_that_ends_badly": "failed",
        "tests/test_some.py::test_left_out": "skipped",
    }
    subprocess.run([*run, *found], cwd=tmp_path, capture_output=True, check=False)
    assert outcomes(report.read_text(encoding="utf-8")) == found


def test_what_went_otherwise_is_named_and_what_is_missing_in_one_of_them():
    plain = {"a": "passed", "b": "failed", "c": "passed"}
    assert differences(plain, {"a": "passed", "b": "passed", "d": "skipped"}) == ["b", "c", "d"]


def test_a_folder_that_is_no_repository_is_refused(tmp_path: Path, capsys):
    with pytest.raises(SystemExit, match="2"):
        main([str(tmp_path)])
    assert "no pyproject.toml" in capsys.readouterr().err
