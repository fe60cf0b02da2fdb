"""Redaction: recall, false positives and time on a labelled corpus, and time on hostile input.

Run it alone with the path of a corpus (JSON lines, gzipped or not: id, category, label, text, secrets, keep) and, if
you have them, the path of the gitleaks rules as TOML::

    uv run python -m benchmarks.redaction [CORPUS] [GITLEAKS_TOML]

Without a path the corpus is looked for in the folder that ``NANOBOT_MEMORY_SHARED`` names, or beside the checkout.
"""

import gzip
import json
import os
import re
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measure import report
from nanobot_memory_plugins.core.redaction import redact_text

SMALL, LARGE = 64 * 1024, 1024 * 1024
FAMILIES = {
    "runs of -": "-",
    "runs of \\": "\\",
    "runs of eyJ": "eyJ",
    "runs of eyJhbGciOi": "eyJhbGciOi",
    "runs of BEGIN": "-----BEGIN",
    "runs of BEGIN PRIVATE KEY": "-----BEGIN PRIVATE KEY-----",
    "runs of a=": "a=",
    "runs of password=": "password=",
    "runs of quotes": "\"'",
    "runs of digits": "4",
    "runs of @": "@",
    "runs of a@a.": "a@a.",
    "runs of ://": "://",
    "Chinese words for password": "密码是",
    "Chinese words in brackets": "密码（",
    "Japanese words for password": "パスワードは",
    "rows of bars": "| password | a |\n",
    "runs of bars": "|password",
    "declarations": 'variable "a" {',
    "or": "secret || ",
    "calls of login": "login('a', ",
    "commands": "net use a /user:",
    "form fields": 'form-data; name="password"\n\n',
    "runs of live_": "live_sk_",
    "property lists": "<key>password</key>",
    "log in with": "login with pw as password ",
    "English prose": "The fox jumps over the lazy dog and runs away from it. ",
    "Chinese prose": "今天我们讨论了项目的进展，决定下周一发布新版本。",
    "program text": "def read(path: str) -> bytes:\n    return open(path, 'rb').read()\n",
}


def corpus_path() -> Path:
    """Return the expected path of the labelled corpus."""
    shared = os.environ.get("NANOBOT_MEMORY_SHARED") or Path(__file__).parents[1].parent / "shared"
    return Path(shared) / "redaction" / "dev.jsonl.gz"


def read_corpus(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a corpus."""
    raw = path.read_bytes()
    lines = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def measure(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """Return recall (every secret removed) and the share of negative texts that were changed."""
    positive = [row for row in rows if row["label"] == "pos"]
    negative = [row for row in rows if row["label"] == "neg"]
    kept = 0
    for row in positive:
        text = redact_text(row["text"])
        kept += any(secret in text for secret in row["secrets"])
    changed = sum(redact_text(row["text"]) != row["text"] for row in negative)
    return 1 - kept / len(positive), changed / len(negative)


def milliseconds_per_kilobyte(function: Callable[[str], object], texts: list[str]) -> float:
    """Return the best of five runs over ``texts``, in milliseconds per 1024 bytes."""
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) / 1024
    best = float("inf")
    for _ in range(5):
        started = time.perf_counter()
        for text in texts:
            function(text)
        best = min(best, time.perf_counter() - started)
    return best * 1000 / size


def gitleaks(path: Path) -> Callable[[str], object]:
    """Return a search with the gitleaks rules of ``path``, with their keywords as filter, as in gitleaks."""
    rules = []
    for rule in tomllib.loads(path.read_text(encoding="utf-8"))["rules"]:
        pattern = rule.get("regex")
        if pattern is None:
            continue
        # Translates Go's syntax to Python's: flags only at the beginning, and other names of some classes.
        flags = "(?i)" if "(?i)" in pattern else ""
        pattern = pattern.replace("(?i)", "").replace("(?s:.)", r"[\s\S]").replace("\\z", "\\Z")
        compiled = re.compile(flags + pattern.replace("[[:alnum:]]", "[A-Za-z0-9]"))
        rules.append(([word.lower() for word in rule.get("keywords", [])], compiled))

    def search(text: str) -> int:
        lower = text.lower()
        return sum(
            sum(1 for _ in pattern.finditer(text))
            for words, pattern in rules
            if not words or any(word in lower for word in words)
        )

    return search


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    given = [Path(argument) for argument in arguments or []]
    path = given[0] if given else corpus_path()
    if path.exists():
        rows = read_corpus(path)
        recall, false_positives = measure(rows)
        texts = [row["text"] for row in rows]
        ours = milliseconds_per_kilobyte(redact_text, texts)
        report("recall on the corpus", recall, "", limit=0.98, at_least=True)
        report("false positives on the corpus", false_positives, "", limit=0.01)
        report("time on the corpus", ours, "ms/KB")
        if len(given) > 1:
            theirs = milliseconds_per_kilobyte(gitleaks(given[1]), texts)
            report("time of the gitleaks rules on the corpus", theirs, "ms/KB")
            report("ratio to the gitleaks rules", ours / theirs, "", limit=2)
    else:
        print(f"  no corpus at {path}: recall and false positives are left out")
    for name, unit in FAMILIES.items():
        times = []
        for size in (SMALL, LARGE):
            text = (unit * (size // len(unit) + 1))[:size]
            started = time.perf_counter()
            redact_text(text)
            times.append((time.perf_counter() - started) * 1000 / (size / 1024))
        report(f"{name}: 64 KB", times[0], "ms/KB")
        report(f"{name}: 1 MB as a multiple of that", times[1] / times[0], "", limit=3)


if __name__ == "__main__":
    main(sys.argv[1:])
