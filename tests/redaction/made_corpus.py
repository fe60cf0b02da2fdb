"""A labelled corpus made when the tests run: secrets in more than 300 kinds of places, and texts that hold none."""

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from tests.behaviour.kit.shapes import ALNUM, HEX, VENDOR_TOKENS, WORDS, cn_id, iban, key_block, luhn, pick
from tests.redaction.corpus_chinese import CHINESE_PLACES
from tests.redaction.corpus_harmless import HAZARDS
from tests.redaction.corpus_places import PLACES


@dataclass(frozen=True)
class Case:
    """A text with the secrets that must be hidden; without secrets the text must be unchanged."""

    category: str
    text: str
    secrets: tuple[str, ...] = ()


def password(r: Random) -> str:
    """Return a password as people and generators make it."""
    word = r.choice(WORDS)
    return r.choice(
        (
            f"{word.title()}{r.choice('@!#_-')}{r.randint(10, 2030)}",
            f"{word}{r.randint(1000, 99999)}",
            pick(r, ALNUM, 10) + "7a",
            f"{word[:3].title()}{r.randint(10, 99)}{r.choice('!$%^*')}{pick(r, ALNUM, 5)}",
            pick(r, ALNUM, 15) + "x4",
            f"{word}_{r.choice(WORDS)}{r.randint(10, 99)}",
        )
    )


def _spread(text: str) -> str:
    """Return ``text`` with a zero-width space inserted."""
    return f"{text[:4]}\u200b{text[4:]}"


def _wide(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


KINDS: dict[str, Callable[[Random], str]] = {
    "P": password,
    "W": lambda r: f"{r.choice(WORDS)}{r.choice(WORDS)}{r.randint(10, 99)}",
    "T": lambda r: pick(r, ALNUM, r.choice((24, 32, 40))) + "k7Q",
    "X": lambda r: pick(r, HEX, r.choice((32, 40, 64))),
    "B": lambda r: base64.b64encode(f"{r.choice(WORDS)}:{password(r)}".encode()).decode(),
    "6": lambda r: pick(r, "0123456789", 6),
    "4": lambda r: pick(r, "0123456789", 3) + str(r.randint(1, 9)),
    "F": lambda r: _wide(password(r)),
    "Z": lambda r: _spread(pick(r, ALNUM, 14) + "r8"),
}


def place_case(r: Random, category: str, place: str) -> Case:
    kind, text = place[0], place[2:]
    secret = KINDS[kind](r)
    text = text.replace("¤", r.choice(WORDS)).replace("№", str(r.randint(2, 99)))
    return Case(category, text.replace("§", secret), (secret,))


def _pem(kind: str, form: str) -> Callable[[Random], tuple[str, list[str]]]:
    def make(r: Random) -> tuple[str, list[str]]:
        block, lines = key_block(r, kind)
        forms = {
            "plain": block,
            "escaped": '{"private_key": "' + block.replace("\n", "\\n") + '"}',
            "indented": "key: |\n" + "\n".join("    " + line for line in block.splitlines()),
            "cut": "\n".join(block.splitlines()[:6]),
            "quoted": "\n".join("> " + line for line in block.splitlines()),
            "windows": block.replace("\n", "\r\n"),
            "one line": block.replace("\n", " "),
        }
        kept = lines[:5] if form == "cut" else lines
        return forms[form], kept

    return make


# Nothing in these texts announces a secret: the token must be recognised by its shape.
UNANNOUNCED = (
    "we deploy with § since Monday",
    "昨天用§试了一下，可以的",
    "2026-03-04 10:22:01 INFO got § from peer",
    "<td>§</td>",
)

BLOCKS = {
    f"pem {kind.lower()} {form}": _pem(kind, form)
    for kind in ("RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY")
    for form in ("plain", "escaped", "indented", "cut", "quoted", "windows", "one line")
} | {"pgp block": _pem("PGP PRIVATE KEY BLOCK", "plain")}

PERSONAL: dict[str, tuple[str, Callable[[Random], str]]] = {
    "e-mail": ("write to §, please", lambda r: f"{r.choice(WORDS)}.{pick(r, 'abcdef', 4)}@{r.choice(WORDS)}.com"),
    "e-mail zh": ("邮箱是§，谢谢", lambda r: f"{r.choice(WORDS)}{r.randint(1, 99)}@163.com"),
    "mobile": ("手机号§，请回电", lambda r: "138" + pick(r, "0123456789", 8)),
    "mobile alone": ("联系我 §", lambda r: "159" + pick(r, "0123456789", 8)),
    "phone": ("call +1 §", lambda r: f"415-{r.randint(200, 999)}-{r.randint(1000, 9999)}"),
    "identity": ("身份证号：§", cn_id),
    "identity alone": ("号码§请核对", cn_id),
    "ssn": ("SSN: §", lambda r: f"{r.randint(100, 665)}-{r.randint(10, 99)}-{r.randint(1000, 9999)}"),
    "card": ("paid with § today", lambda r: luhn("4" + pick(r, "0123456789", 14))),
    "card zh": ("银行卡号§", lambda r: luhn("622202" + pick(r, "0123456789", 12))),
    "iban": ("IBAN §", iban),
}


def positives(seed: int, rounds: int) -> Iterator[Case]:
    """Yield cases with a secret: ``rounds`` of every category, different for every ``seed``."""
    r = Random(seed)
    for _ in range(rounds):
        for name, make in VENDOR_TOKENS.items():
            token = make(r)
            yield Case(f"token: {name}", r.choice(UNANNOUNCED).replace("§", token), (token,))
        for category, places in (PLACES | CHINESE_PLACES).items():
            yield place_case(r, f"place: {category}", r.choice(places))
        for name, block in BLOCKS.items():
            text, lines = block(r)
            yield Case(name, f"see\n{text}\nthat was it", tuple(lines))
        for name, (place, person) in PERSONAL.items():
            value = person(r)
            yield Case(f"personal: {name}", place.replace("§", value), (value,))


def negatives(seed: int, rounds: int) -> Iterator[Case]:
    """Yield cases without a secret: ``rounds`` of every text of every category."""
    r = Random(seed)
    for _ in range(rounds):
        for name, makers in HAZARDS.items():
            for make in makers:
                yield Case(f"hazard: {name}", make(r))


def every_place(seed: int) -> Iterator[Case]:
    """Yield one case for every place."""
    r = Random(seed)
    for category, places in (PLACES | CHINESE_PLACES).items():
        for place in places:
            yield place_case(r, f"place: {category}", place)
