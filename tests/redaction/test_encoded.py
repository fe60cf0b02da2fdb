import base64
from random import Random

from nanobot_memory_plugins.core.redaction import redact_text
from tests.redaction.shapes import PASSWORDS, VENDOR_TOKENS


def test_base64_of_a_secret_is_hidden_and_of_other_text_is_not():
    secret = base64.b64encode(f"DB_PASSWORD={PASSWORDS['symbols'](Random(1))}\n".encode()).decode()
    token = base64.b64encode(f"use {VENDOR_TOKENS['github'](Random(1))} now".encode()).decode()
    plain = base64.b64encode(b"The quick brown fox jumps over the lazy dog.").decode()
    assert redact_text(f"echo {secret} | base64 -d") == "echo [REDACTED] | base64 -d"
    assert redact_text(f"x {token} y") == "x [REDACTED] y"
    assert redact_text(f"echo {plain} | base64 -d") == f"echo {plain} | base64 -d"
