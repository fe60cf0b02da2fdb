"""One entry as it stands in the file: reading and writing its lines.

::

    ### [a1b2c3] preference | 0.92 | 2026-02-20 | 12
    text, up to the next blank line or heading
    <!-- fields, when there are any -->

A line of the text that Markdown or this format would take for something else is written with a backslash before it.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from nanobot_memory_plugins.consolidation.model.entry import Entry, plain_score
from nanobot_memory_plugins.consolidation.store.fields import (
    Header,
    shown_date,
    shown_score,
    split_fields,
    with_fields,
    write_fields,
)
from nanobot_memory_plugins.core.text.markdown import LINE_BREAKS, clean_markdown
from nanobot_memory_plugins.redaction.script.messages import Sentence

HEADER = re.compile(rb" {0,3}###[ \t]+\[[^\n]*")
_HEADER = re.compile(r" {0,3}###[ \t]+\[([^\]\s|｜]{1,64})\][ \t]*(.*?)[ \t\r]*")
_HEADING = re.compile(rb" {0,3}#{1,6}(?=[ \t\r\n]|\Z)")
_SPECIAL = re.compile(r"[ \t]*+\\*+(?:#|<!--|`{3}|~{3})")
_SPECIAL_ESCAPED = re.compile(r"(?<![ \t])(?:(?<!\\)|(?=[ \t]))([ \t]*+)\\(\\*+(?:#|<!--|`{3}|~{3}))")
_UNSAFE = re.compile(f"[|｜{LINE_BREAKS}]")
_BREAKS = re.compile(f"[{LINE_BREAKS}]")
_CACHED_BLOCKS = 8_192


@dataclass(frozen=True, slots=True)
class Block:
    """The bytes of an entry without the line break that ends it, and what they say.

    ``header``, ``gap``, ``text``, ``text_gap`` and ``fields`` make up the bytes, in this order. ``problems`` says in
    words what was read leniently.
    """

    header: bytes
    gap: bytes
    text: bytes
    text_gap: bytes
    fields: bytes
    entry: Entry
    problems: tuple[str, ...] = ()

    @property
    def data(self) -> bytes:
        """All of its bytes."""
        return b"".join((self.header, self.gap, self.text, self.text_gap, self.fields))


def extent(data: bytes, start: int) -> int:
    """Return the byte at which the entry whose header starts at ``start`` ends: before the line break of its last line.

    The text may be set off from its header by one blank line.
    """
    header = end = _line_end(data, start)
    position, blank = end + 1, False
    while position < len(data):
        stop = _line_end(data, position)
        if not data[position:stop].strip():
            if blank or end > header:
                break
            blank = True
        elif _HEADING.match(data, position):
            break
        else:
            comment = data.startswith(b"<!--", position)
            if blank and comment and end == header:
                break
            end = stop
            if comment and split_fields(_decoded(data[position:stop])) is not None:
                break
        position = stop + 1
    return end - 1 if data[end - 1 : end] == b"\r" else end


@lru_cache(maxsize=_CACHED_BLOCKS)  # of a file that is read again, few entries have changed
def read_block(data: bytes) -> Block | str:
    """Return the block that ``data`` holds, or why it is none."""
    end = _line_end(data, 0)
    read, problems = _read_header(_decoded(data[:end]))
    if read is None:
        return problems
    header = data[:end].removesuffix(b"\r")
    rest = data[len(header) :]
    text = rest.lstrip(b"\r\n \t")
    gap = rest[: len(rest) - len(text)]
    fields, text_gap, told = b"", b"", None
    begin = text.rfind(b"<!--", text.rfind(b"\n") + 1)
    if begin >= 0 and (told := split_fields(_decoded(text[begin:]))) is not None:
        stripped = text[:begin].rstrip(b" \t\r\n")
        gap_before = text[len(stripped) : begin]
        # On the line of the text it is ours where an editor has joined the lines; another is part of the text.
        if b"\n" in gap_before or not stripped or "created" in told:
            fields, text_gap, text = text[begin:], gap_before, stripped
        else:
            told = None
    if not text.strip():
        return Sentence("it has no text")
    lines = [_SPECIAL_ESCAPED.sub(r"\1\2", line.strip(), count=1) for line in _decoded(text).split("\n")]
    entry, bad = with_fields(read, "\n".join(lines), told or {})
    warned = (*filter(None, (problems,)), *(Sentence("its {name} cannot be read", name=name) for name in bad))
    return Block(header, gap, text, text_gap, fields, entry, warned)


def write_block(entry: Entry, before: Block | None, newline: bytes) -> bytes:
    """Return the bytes of an entry; what has not changed keeps the bytes that it has in ``before``."""
    if before is not None and entry == before.entry:
        return before.data
    header, fields = write_header(entry), write_fields(entry)
    if before is None:
        lines = [header, *_escaped(entry.content), *filter(None, (fields,))]
        return newline.join(line.encode() for line in lines)
    same_text = entry.content == before.entry.content
    text = before.text if same_text else newline.join(line.encode() for line in _escaped(entry.content))
    if (header, fields) == (write_header(before.entry), write_fields(before.entry)):
        return b"".join((before.header, before.gap, text, before.text_gap, before.fields))
    tail = (before.text_gap or newline) + fields.encode() if fields else b""
    return b"".join((header.encode(), before.gap, text, tail))


def write_header(entry: Entry) -> str:
    """Return the header line of an entry."""
    category = " ".join(_UNSAFE.sub(" ", clean_markdown(entry.category)).split()) or "fact"
    score = shown_score(entry.score)
    return f"### [{entry.id}] {category} | {score} | {shown_date(entry.last_activated)} | {entry.hits}"


def _read_header(line: str) -> tuple[Header | None, str]:
    match = _HEADER.fullmatch(line)
    if match is None:
        return None, Sentence("its header has no id in brackets")
    parts = [part.strip() for part in match[2].replace("｜", "|").split("|")]
    if len(parts) not in (3, 4) or not parts[0]:
        return None, Sentence("its header is not: [id] category | score | day | hits")
    try:
        score = float(parts[1].replace(",", "."))
        day = datetime.fromisoformat(parts[2].replace("/", "-")).replace(tzinfo=UTC)
        hits = int(parts[3]) if len(parts) == 4 else 0
    except ValueError:
        return None, Sentence("the score, the day or the hits of its header cannot be read")
    if score != score or hits < 0 or hits > 10**9:
        return None, Sentence("the score or the hits of its header are no numbers")
    problem = "" if 0 <= score <= 1 else Sentence("its score lies outside 0 to 1 and counts as the nearest of them")
    return Header(match[1], parts[0], plain_score(score), day, hits), problem


def _escaped(content: str) -> list[str]:
    lines = [clean_markdown(line).strip() for line in content.split("\n")]
    kept = [" ".join(_BREAKS.split(line)) for line in lines if line]
    return [f"\\{line}" if _SPECIAL.match(line) else line for line in kept] or ["-"]


def _line_end(data: bytes, start: int) -> int:
    end = data.find(b"\n", start)
    return len(data) if end < 0 else end


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace").removeprefix("\ufeff")
