"""Query texts that try to break a search or to slow it down."""

_UNITS = ("a", "word ", "中", "记忆的", '"', "NEAR(", "\x00", "a.", "1月", "🙂", "\ud800", "a-", "e\u0301", "*", "ａ")
_BYTES = 1_000_000

SHORT = (
    "",
    " ",
    '"',
    '"unfinished',
    "a AND (b OR",
    "NEAR(a b, 5)",
    "a NEAR b",
    "NOT NOT NOT",
    "prefix*",
    "^first",
    "body_terms:x",
    "{body_terms head_terms} : x",
    "rowid:1 OR docs_fts:x",
    "'; DROP TABLE docs; --",
    "a\x00b",
    "\x00",
    "\ud800",
    "x\udfffy",
    "🙂🙃👨‍👩‍👧‍👦",
    "a\u200db",
    "٣²ſ",
    "-" * 500,
    "(" * 500,
    '"' * 501,
)


def long_texts() -> list[str]:
    """Return texts of a megabyte, each a repetition of a few characters."""
    return [unit * (_BYTES // len(unit.encode("utf-8", "surrogatepass"))) for unit in _UNITS]
