"""Texts with secrets, made when a test runs so that none stands in the repository, and texts that look like them."""

import base64
import json
import os
import string
import subprocess
import sys
from pathlib import Path
from random import Random

from nanobot_memory_plugins.core import redact_text

_ALNUM = string.ascii_letters + string.digits
_WORDS = ("amber", "birch", "cobalt", "fjord", "garnet", "indigo", "jasper", "lotus", "nectar", "quartz")
# What stands before a token, and how many characters of what follow.
_TOKENS = (
    ("sk-", 48, _ALNUM), ("sk-ant-api03-", 95, _ALNUM), ("gsk_", 52, _ALNUM), ("hf_", 34, string.ascii_letters),
    ("AKIA", 16, string.ascii_uppercase + "234567"), ("AIza", 35, _ALNUM), ("ghp_", 36, _ALNUM), ("glpat-", 20, _ALNUM),
    ("npm_", 36, _ALNUM), ("dckr_pat_", 27, _ALNUM), ("hvs.", 95, _ALNUM), ("dop_v1_", 64, "0123456789abcdef"),
    ("sk_live_", 24, _ALNUM), ("shpat_", 32, "0123456789abcdef"),
    ("LTAI", 20, _ALNUM), ("xoxb-123456789012-", 24, _ALNUM),
)  # fmt: skip
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


def _pick(random: Random, alphabet: str, size: int) -> str:
    return "".join(random.choices(alphabet, k=size))


def _password(random: Random) -> str:
    return random.choice(_WORDS).title() + random.choice("!#%$") + _pick(random, _ALNUM, 9) + "7"


def corpus(seed: int) -> list[tuple[str, str]]:
    """Return texts, each with the secret in it: tokens, passwords in places, a JWT and a private key."""
    random = Random(seed)
    made = []
    for prefix, size, alphabet in _TOKENS:
        token = prefix + _pick(random, alphabet, size)
        made.append((f"deploy with {token} today", token[len(prefix) :]))
    for place in _PLACES:
        password = _password(random)
        made.append((place.replace("§", password), password))
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": _pick(random, string.digits, 10)})
    head, body = (base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in parts)
    signature = _pick(random, _ALNUM, 43)
    made.append((f"the session is {head}.{body}.{signature}", signature))
    line = _pick(random, _ALNUM + "+/", 64)
    made.append((f"-----BEGIN RSA PRIVATE KEY-----\n{line}\n{line[::-1]}\n-----END RSA PRIVATE KEY-----", line))
    return made


def hidden(seed: int) -> list[tuple[str, str]]:
    """Return those of the corpus that redaction knows: the only ones by which a test may look at what keeps to it."""
    known = [(text, secret) for text, secret in corpus(seed) if secret not in redact_text(text)]
    assert len(known) >= 10
    return known


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
