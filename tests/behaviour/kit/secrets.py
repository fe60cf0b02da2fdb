"""Texts with secrets, made when a test runs so that none stands in the repository, and texts that look like them."""

import base64
import os
import subprocess
import sys
from pathlib import Path
from random import Random

from nanobot_memory_plugins.core import redact_text
from tests.behaviour.kit.shapes import PASSWORDS, VENDOR_TOKENS, cn_id, key_block

_PLACES = (
    "my password is §, keep it to yourself", "the wifi password: §", "export DB_PASSWORD=§", "password = '§'",
    "postgres://ana:§@db.example.org/shop", "curl -u ana:§ https://api.example.org", "api_key: §", "--token §",
    "Authorization: Bearer §", '{"client_secret": "§"}', "我的密码是§，别告诉别人", "数据库密码：§",
    "我嘅密碼係§", "登录口令是 §",
)  # fmt: skip
HARMLESS = (
    "The password must have at least twelve characters.", "I forgot my password, how do I reset it?",
    "Commit 4f2a9c81d3e7b5a6c0f1e2d3c4b5a69788990011 broke the build.", "The token budget is 8,000 tokens.",
    "See issue #4412 and pull request 5849.", "The meeting is on 2026-02-16 at 14:20 in room 304.",
    "pip install requests==2.31.0", "Order 66218 is 12.50 euros.", "The key point is that caches are cheap.",
    "def token_count(text: str) -> int:", "The secret of good bread is time.", "const password = usePassword();",
    "id: 123e4567-e89b-12d3-a456-426614174000", "She pressed the return key twice.", "version 1.24.0-beta.3 is out",
    "密码至少要十二个字符。", "我忘记密码了，怎么重置？", "钥匙在桌子上。", "这个接口返回 404。",
    "会议在 2026 年 2 月 16 日下午两点。",
    "我们决定用 Cloudflare 免费计划部署", "PASSWORD_MIN_LENGTH = 12", "The pass over the Alps is closed.",
    "chmod 755 run.sh",
    "The passenger list has 212 names.", "SELECT id, password_hash FROM users", "http://localhost:8080/status",
    "sha256 of the file is checked", "Our API keys rotate every 90 days.", "Basic authentication is off.",
)  # fmt: skip


def corpus(seed: int) -> list[tuple[str, str]]:
    """Return texts, each with the secret in it: tokens of every vendor, passwords in places, a private key."""
    random = Random(seed)
    tokens = [make(random) for make in VENDOR_TOKENS.values()]
    passwords = [(place, PASSWORDS["symbols"](random)) for place in _PLACES]
    block, lines = key_block(random)
    return [
        *((f"deploy with {token} today", token) for token in tokens),
        *((place.replace("§", password), password) for place, password in passwords),
        (block, lines[0]),
    ]


def ways(seed: int) -> dict[str, tuple[str, str]]:
    """Return a text of each way in which a secret or a person's own data is told, and what of it has to go."""
    random = Random(seed)
    password = PASSWORDS["symbols"](random)
    token, session = VENDOR_TOKENS["github"](random), PASSWORDS["hexadecimal"](random)
    encoded = base64.b64encode(f"token={token}".encode()).decode()
    block, lines = key_block(random)
    digits = str(random.randint(100_000, 999_999))
    return {
        **{place: (place.replace("§", password), password) for place in _PLACES},
        "a table": (f"| user | password |\n|---|---|\n| ana | {password} |", password),
        "a vendor's token": (f"look at {token} please", token),
        "Base64": (f"payload {encoded} ends", encoded),
        "a key block": (block, lines[0]),
        "a cookie": (f"Cookie: theme=dark; sessionid={session}; lang=en", session),
        "a code": (f"the gate code is {digits}", digits),
        "a code before its word": (f"{digits} is the PIN of my phone", digits),
        "a mail address": (f"write to ana{digits}@example.org", f"ana{digits}"),
        "a telephone": (f"call me at +49 30 {digits}99", f"{digits}99"),
        "an identity number": (f"这是 {(number := cn_id(random))}", number),
        "a number by its word": (f"my passport number is C{digits}47", f"C{digits}47"),
    }


def hidden(seed: int) -> list[tuple[str, str]]:
    """Return some of the corpus that redaction knows: the only ones by which a test may look at what keeps to it."""
    known = [(text, secret) for text, secret in corpus(seed) if secret not in redact_text(text)]
    return Random(seed).sample(known, min(20, len(known)))


# A redactor that somebody else installs, and the entry point by which it is found.
_GROUP = "nanobot_memory_redaction_rules"
_REDACTOR = """
import re
from nanobot_memory_plugins.redaction.rules.rule import Rule
rules = [Rule("ticket", "[TICKET]", re.compile("TCK-[0-9]+"))]
"""
_COMMAND = "import sys; from nanobot_memory_plugins.core.cli.main import main; main()"


def redacting_process(folder: Path, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `nanobot-memory redact` in a process of its own, with a third party's rule for tickets installed."""
    info = folder / "site" / "tickets-1.0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info.parent / "third_party_tickets.py").write_text(_REDACTOR, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tickets\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[{_GROUP}]\ntickets = third_party_tickets:rules\n", encoding="utf-8")
    command = [sys.executable, "-c", _COMMAND, "redact", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(info.parent)}
    return subprocess.run(command, input=text, capture_output=True, text=True, env=environment, check=False)
