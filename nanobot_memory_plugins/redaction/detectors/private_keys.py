"""Blocks of key material: PEM, PGP, SSH2, PuTTY; whole, escaped into one line, or cut at either end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import PRIVATE_KEY, RANK_BLOCK, Span, settle

# "Static key V1" is OpenVPN's. Certificates and public keys are no secrets.
_NAME = r"(?:[A-Z0-9][A-Z0-9 ]{0,40}?)?(?:PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)"
_BEGIN = lazy_re(rf"-{{4,5}} ?BEGIN {_NAME} ?-{{4,5}}")
_END = lazy_re(rf"-{{4,5}} ?END {_NAME} ?-{{4,5}}")
# What separates two pieces of a block: line ends, real or escaped, quotes and signs that join strings, margins.
_GAP = r"(?:[\s\"'`,+>|#;\\ ]|\\[nrt])"
_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|Key-Derivation|X-[A-Za-z-]{1,30}):[^\n\\]{0,200}"
_PIECE = r"[A-Za-z0-9+/]{16,100000}={0,2}"
_BODY = lazy_re(rf"(?:{_GAP}{{0,80}}+(?:{_HEADER}|{_PIECE})){{0,2000}}+")
_LAST_PIECE = lazy_re(rf"{_GAP}{{1,20}}[A-Za-z0-9+/]{{1,15}}(?:={{1,2}}|(?=\s{{0,3}}\Z))")
_TAIL_PIECES = lazy_re(r"[A-Za-z0-9+/]{1,100}={0,2}")
_PUTTY_PRIVATE = lazy_re(
    r"Private-Lines:\s{0,3}\d{1,4}(?P<secret>(?:(?:\s|\\[nr]){1,6}(?!Private-MAC)[A-Za-z0-9+/=]{4,80}){1,200}(?:(?:\s"
    r"|\\[nr]){1,6}Private-MAC:\s{0,3}[0-9a-f]{8,128})?)"
)
_LONGEST = 200_000
_WINDOW = 8192


def find_key_blocks(text: str) -> list[Span]:
    """Find every private key block of the original (unfolded) ``text``, in order; none overlaps another."""
    blocks: list[Span] = []
    if "PRIVATE KEY" in text or "Static key" in text:
        blocks.extend(_find_pem(text))
    if "Private-Lines:" in text:
        blocks.extend(_block(*match.span("secret")) for match in _PUTTY_PRIVATE.finditer(text))
    return settle(blocks)


def _block(start: int, end: int) -> Span:
    return Span(start, end, "private_key", PRIVATE_KEY, RANK_BLOCK)


def _find_pem(text: str) -> Iterator[Span]:
    done = 0
    closing = _END.search(text)
    opening = _BEGIN.search(text)
    while opening is not None or closing is not None:
        if closing is not None and (opening is None or closing.start() < opening.start()):
            # The end of a block whose beginning was cut off.
            start = _start_of_cut_block(text, closing.start(), done)
            if start < closing.start():
                yield _block(start, closing.end())
            done = closing.end()
            closing = _END.search(text, done)
            continue
        if opening is None:
            break  # cannot be: one of the two was found
        following = _BEGIN.search(text, opening.end())
        whole = (
            closing is not None
            and closing.start() - opening.end() <= _LONGEST
            and (following is None or closing.start() < following.start())
            and re.search(r"[A-Za-z0-9+/=]{16}", text[opening.end() : closing.start()]) is not None
        )
        if whole and closing is not None:
            end = closing.end()
            closing = _END.search(text, end)
            if following is not None and following.start() < end:
                following = _BEGIN.search(text, end)
        else:
            body = _BODY.match(text, opening.end())
            end = body.end() if body else opening.end()
            last = _LAST_PIECE.match(text, end)
            end = last.end() if last and end > opening.end() else end
        if end > opening.end():
            yield _block(opening.start(), end)
        done = end
        opening = following


def _start_of_cut_block(text: str, end: int, floor: int) -> int:
    """Walk back from ``end`` over lines of base64; give where they begin, or ``end`` when there is none."""
    window = max(floor, end - _WINDOW)
    start = end
    longest = 0
    pieces = list(re.finditer(r"[^\s\"'`,>|#;\\]+|\\[nrt]", text[window:end]))
    for number, piece in enumerate(reversed(pieces)):
        found = piece.group()
        if found in ("\\n", "\\r", "\\t"):
            continue
        if not _TAIL_PIECES.fullmatch(found) or (number > 1 and len(found) < 16):
            break
        start = window + piece.start()
        longest = max(longest, len(found))
    return start if longest >= 16 else end
