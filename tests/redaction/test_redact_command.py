import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.redaction.shapes import VENDOR_TOKENS, key_block

ROOT = Path(__file__).parents[2]
HAS_MAIN = (ROOT / "nanobot_memory_plugins" / "core" / "cli" / "main.py").exists()
ALONE = "import typer; from nanobot_memory_plugins.core.cli.redact_command import redact; typer.run(redact)"
COMMAND = (
    ["-c", "from nanobot_memory_plugins.core.cli.main import main; main()", "redact"] if HAS_MAIN else ["-c", ALONE]
)
TOKEN = VENDOR_TOKENS["github"](Random(1))


def run(*arguments: str, given: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, *COMMAND, *arguments],
        input=given,
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )


def test_it_filters_text():
    block, _ = key_block(Random(2))
    given = f"用户 ann@example.org\r\n{TOKEN}\n{block}\nend".encode()
    done = run(given=given)
    assert done.returncode == 0
    assert done.stdout.decode() == "用户 [EMAIL]\r\n[API_KEY]\n[PRIVATE_KEY]\nend"


def test_the_locale_and_broken_bytes_do_not_matter():
    done = run(
        given=f"密码：Quiet7harbor，谢谢 {TOKEN} ".encode() + b"\xff\xfe\n", LC_ALL="C", PYTHONIOENCODING="ascii"
    )
    assert done.returncode == 0
    assert done.stdout == "密码：[REDACTED]，谢谢 [API_KEY] ".encode() + b"\xff\xfe\n"


def test_lines_keep_their_order_and_their_ids():
    rows = [{"id": n, "text": f"第{n}行\n{TOKEN}" if n % 2 else "plain"} for n in range(50)]
    rows.append({"id": {"any": None}, "text": "\ud800", "more": 1})
    done = run("--jsonl", given="\n".join(json.dumps(row) for row in rows).encode())
    assert done.returncode == 0
    assert done.stderr == b""
    out = [json.loads(line) for line in done.stdout.splitlines()]
    assert out == [{"id": row["id"], "text": row["text"].replace(TOKEN, "[API_KEY]")} for row in rows]


def test_a_wrong_line_is_named_and_the_others_come_out():
    lines = [
        '{"id": 1, "text": "a"}',
        "not json " + TOKEN,
        "[1]",
        '{"id": 2}',
        '{"text": "x"}',
        '{"id": 3, "text": 4}',
        "",
    ]
    lines.append('{"id": 4, "text": "b"}')
    done = run("--jsonl", given="\n".join(lines).encode())
    assert done.returncode == 1
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 4]
    complaints = done.stderr.decode().splitlines()
    assert [line.split(":")[1].strip() for line in complaints] == ["line 2", "line 3", "line 4", "line 5", "line 6"]
    assert TOKEN not in done.stderr.decode()


def test_lines_come_out_while_more_go_in():
    with subprocess.Popen(
        [sys.executable, *COMMAND, "--jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(3):
            process.stdin.write(json.dumps({"id": number, "text": TOKEN}).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline()) == {"id": number, "text": "[API_KEY]"}
        process.stdin.close()
        assert process.wait(timeout=30) == 0


@pytest.mark.slow
def test_json_output_counts_by_kind():
    done = run("--json", given=f"{TOKEN} ann@example.org bob@example.org".encode())
    assert json.loads(done.stdout) == {
        "ok": True,
        "failed": 0,
        "found": {"email": 2, "github_token": 1},
        "text": "[API_KEY] [EMAIL] [EMAIL]",
    }
    lines = run("--jsonl", "--json", given=b'{"id": 1, "text": "ann@example.org"}\nx\n')
    assert json.loads(lines.stdout.splitlines()[-1]) == {"ok": False, "failed": 1, "found": {"email": 1}}
    assert lines.returncode == 1


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["--unknown"], ["file.txt"]])
def test_wrong_use_ends_with_2(arguments):
    assert run(*arguments).returncode == 2


@pytest.mark.slow
def test_empty_input_is_fine():
    assert run().stdout == b""
    assert run("--jsonl").returncode == 0
