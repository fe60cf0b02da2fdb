import base64
import hashlib
import json
from random import Random

from nanobot_memory_plugins.core.redaction import redact_text
from tests.redaction.shapes import ALNUM, PASSWORDS, VENDOR_TOKENS, pick

BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def test_base64_of_a_secret_is_hidden_and_of_other_text_is_not():
    secret = base64.b64encode(f"DB_PASSWORD={PASSWORDS['symbols'](Random(1))}\n".encode()).decode()
    token = base64.b64encode(f"use {VENDOR_TOKENS['github'](Random(1))} now".encode()).decode()
    plain = base64.b64encode(b"The quick brown fox jumps over the lazy dog.").decode()
    assert redact_text(f"echo {secret} | base64 -d") == "echo [REDACTED] | base64 -d"
    assert redact_text(f"x {token} y") == "x [REDACTED] y"
    assert redact_text(f"echo {plain} | base64 -d") == f"echo {plain} | base64 -d"


def test_a_wallet_key_needs_its_checksum():
    data = b"\x80" + Random(2).randbytes(32)
    data += hashlib.sha256(hashlib.sha256(data).digest()).digest()[:4]
    number, key = int.from_bytes(data, "big"), ""
    while number:
        number, rest = divmod(number, 58)
        key = BASE58[rest] + key
    assert redact_text(f"import {key} please") == "import [PRIVATE_KEY] please"
    wrong = key[:-1] + ("2" if key[-1] != "2" else "3")
    assert redact_text(f"import {wrong} please") == f"import {wrong} please"


def test_the_private_parts_of_a_json_web_key_are_hidden():
    key = {"kty": "RSA", "n": pick(Random(3), ALNUM, 342), "e": "AQAB", "d": pick(Random(4), ALNUM, 342), "kid": "a"}
    assert json.loads(redact_text(json.dumps(key))) == {**key, "d": "[API_KEY]"}
