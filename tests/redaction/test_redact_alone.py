"""Redaction without an agent around it: the filter, and the check before a commit."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
import yaml

from nanobot_memory_plugins.redaction.cli import main
from tests.behaviour.kit.shapes import VENDOR_TOKENS

ROOT = Path(__file__).parents[2]
REDACTION = ROOT / "nanobot_memory_plugins" / "redaction"
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
TOKEN = VENDOR_TOKENS["github"](Random(1))
PASSWORD = "Quiet7harbor"


def run_as_hook(*files: str, folder: Path, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run the hook's entry as pre-commit does a script: from the checkout, in the folder of the user's repository.

    The interpreter is that of the tests without the packages that are installed beside it.
    """
    entry, *options = HOOK["entry"].split()
    assert HOOK["language"] == "script"
    assert os.access(ROOT / entry, os.X_OK)
    return subprocess.run(
        [sys.executable, "-S", ROOT / entry, *options, *files],
        cwd=folder, input=given, capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip


def test_the_hook_names_file_line_and_kind_and_never_the_secret(tmp_path: Path):
    (tmp_path / "config.yaml").write_text(f"port: 5433\npassword: {PASSWORD}\n\n密码：{PASSWORD}9\n", encoding="utf-8")
    (tmp_path / "deploy.sh").write_text(f"# mail ann@example.org\nexport GH={TOKEN}\n", encoding="utf-8")
    (tmp_path / "clean.py").write_text("print('nothing')\n", encoding="utf-8")
    done = run_as_hook("clean.py", "config.yaml", "deploy.sh", folder=tmp_path)
    assert done.returncode == 1
    found = [line.split(": ") for line in done.stdout.splitlines()]
    assert [place for place, _ in found] == ["config.yaml:2", "config.yaml:4", "deploy.sh:2"]
    assert found[-1][1] == "github_token"
    assert done.stderr == ""
    assert PASSWORD not in done.stdout
    assert TOKEN not in done.stdout
    assert run_as_hook("clean.py", folder=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (f"password: {PASSWORD}".encode(), [1]),
        (f"a\r\npassword: {PASSWORD}\r\n".encode(), [2]),
        ("\ufeffa\n密码：".encode() + PASSWORD.encode() + b"\n\xff\xfe\n", [2]),
        (f"a\npassword: {PASSWORD}\n".encode("utf-16"), [2]),
        (f"a\npassword: {PASSWORD}\n".encode().replace(b"a", b"\0"), []),
        (f"password: {PASSWORD}  # pragma: allowlist secret\nother: 1\npassword: {PASSWORD}8\n".encode(), [3]),
        (f"-----BEGIN RSA PRIVATE KEY-----\n{'QUJD' * 16}\n-----END RSA PRIVATE KEY-----\n".encode(), [1]),
        (b"mail ann@example.org or call +49 30 901820\n", []),
        (b"", []),
    ],
)
def test_a_check_reads_files_as_they_are(content, lines, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "file"
    file.write_bytes(content)
    assert main(["--check", str(file)]) == (1 if lines else 0)
    shown = capsys.readouterr().out.splitlines()
    assert [int(line.removeprefix(f"{file}:").partition(":")[0]) for line in shown] == lines


def test_a_file_that_cannot_be_read_ends_with_2_and_the_others_are_checked(tmp_path: Path, capsys):
    file = tmp_path / "with\x1b[31m.txt"
    file.write_text(f"password: {PASSWORD}\n", encoding="utf-8")
    assert main(["--check", str(tmp_path / "gone"), str(file)]) == 2
    shown = capsys.readouterr()
    assert "gone cannot be read: No such file" in shown.err
    assert shown.out.endswith(".txt:1: keyed_value\n")
    assert "\x1b" not in shown.out


def test_the_readme_says_what_the_library_does(capsys: pytest.CaptureFixture[str]):
    readme = (REDACTION / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    start, *examples = [line for line in code.splitlines() if line]
    namespace: dict[str, object] = {}
    exec(start, namespace)
    for example in examples:
        call, _, said = example.partition("  # ")
        value = eval(call, namespace)
        assert not said or value == ast.literal_eval(said)
    options = set(re.findall(r"--\w+", readme))
    with pytest.raises(SystemExit):
        main(["--help"])
    assert options <= set(re.findall(r"--\w+", capsys.readouterr().out))
    assert HOOK["id"] in readme
