import base64
import json
from random import Random

import pytest

from nanobot_memory_plugins.core.redaction import redact_text
from tests.redaction.shapes import ALNUM, key_block, pick
from tests.support.each import each

KINDS = ["RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY"]


@each("kind", [*KINDS, "PGP PRIVATE KEY BLOCK"])
def test_a_key_block_is_hidden_whole(kind):
    block, _ = key_block(Random(kind), kind)
    assert redact_text(f"$ cat id_rsa\n{block}\n$ ls\nREADME.md") == "$ cat id_rsa\n[PRIVATE_KEY]\n$ ls\nREADME.md"


def test_a_key_block_with_headers_is_hidden():
    block, lines = key_block(Random(1))
    first = block.index("\n") + 1
    headed = block[:first] + "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,8C1F\n\n" + block[first:]
    assert redact_text(f"a\n{headed}\nb") == "a\n[PRIVATE_KEY]\nb"
    assert lines[0] not in redact_text(headed[: headed.index(lines[3])])


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_an_escaped_key_block_is_hidden(depth):
    block, lines = key_block(Random(depth))
    value: object = {"private_key": block, "region": "eu"}
    for _ in range(depth):
        value = {"a": json.dumps(value), "n": 1}
    text = redact_text(json.dumps(value))
    assert not [line for line in lines if line in text]
    assert "eu" in text
    assert json.loads(text)["n"] == 1


def test_a_block_that_lost_its_end_is_hidden():
    block, lines = key_block(Random(4))
    for size in (200, 431, 700):
        text = redact_text("log\n" + block[:size])
        assert text == "log\n[PRIVATE_KEY]"
    assert (
        redact_text("\n".join(block.splitlines()[:5]) + "\n\nSo much for that.") == "[PRIVATE_KEY]\n\nSo much for that."
    )
    assert lines


def test_a_block_that_lost_its_beginning_is_hidden():
    block, lines = key_block(Random(5))
    text = redact_text("\n".join(block.splitlines()[6:]) + "\nafter")
    assert text == "[PRIVATE_KEY]\nafter"
    assert lines


def test_several_blocks_and_public_ones_are_told_apart():
    one, _ = key_block(Random(6))
    two, _ = key_block(Random(7))
    public = key_block(Random(8), "PUBLIC KEY")[0]
    certificate = key_block(Random(9), "CERTIFICATE")[0]
    text = redact_text(f"{one}\n{public}\n{two}\n{certificate}\n")
    assert text == f"[PRIVATE_KEY]\n{public}\n[PRIVATE_KEY]\n{certificate}\n"


def putty_key(random):
    """A PuTTY key, and its private lines."""
    private = [pick(random, ALNUM + "+/", 64) for _ in range(3)]
    head = ["PuTTY-User-Key-File-2: ssh-rsa", "Public-Lines: 1", "AAAA", "Private-Lines: 3"]
    return "\n".join([*head, *private, "Private-MAC: " + pick(random, "0123456789abcdef", 40)]), private


def test_a_putty_key_is_hidden():
    key, private = putty_key(Random(10))
    text = redact_text(key)
    assert not [line for line in private if line in text]
    assert "Public-Lines: 1" in text


def test_a_block_in_base64_is_hidden_unless_it_is_public():
    for kind, is_hidden in (("RSA PRIVATE KEY", True), ("PUBLIC KEY", False), ("CERTIFICATE", False)):
        encoded = base64.b64encode(key_block(Random(13), kind)[0].encode()).decode()
        text = redact_text(f"echo {encoded} | base64 -d > file")
        assert (encoded[60:90] not in text) == is_hidden


def test_keys_of_two_kinds_in_one_text_are_hidden_and_nothing_is_said_twice():
    block, _ = key_block(Random(11))
    putty, private = putty_key(Random(12))
    head = putty[: putty.index(private[0]) - 1]
    hidden = f"{head}[PRIVATE_KEY]"
    assert redact_text(f"1\n{putty}\n2\n{block}\n3") == f"1\n{hidden}\n2\n[PRIVATE_KEY]\n3"
    assert redact_text(f"1\n{block}\n2\n{putty}\n3") == f"1\n[PRIVATE_KEY]\n2\n{hidden}\n3"
