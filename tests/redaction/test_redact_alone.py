"""Redaction without an agent: as a filter, and as a library."""

import ast
import re
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from nanobot_memory_plugins.redaction.cli import main
from tests.behaviour.kit.shapes import VENDOR_TOKENS

ROOT = Path(__file__).parents[2]
REDACTION = ROOT / "nanobot_memory_plugins" / "redaction"
TOKEN = VENDOR_TOKENS["github"](Random(1))
PASSWORD = "Quiet7harbor"


def test_the_filter_needs_no_other_package():
    program = "import sys; from nanobot_memory_plugins.redaction.cli import main; sys.exit(main([]))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], cwd=ROOT, input=f"密码：{PASSWORD}\nexport GH={TOKEN}\nport: 5433\n",
        capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "密码：[REDACTED]\nexport GH=[API_KEY]\nport: 5433\n"


def test_the_examples_of_the_readme_are_correct(capsys: pytest.CaptureFixture[str]):
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
