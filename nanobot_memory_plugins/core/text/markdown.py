"""Cleaning of arbitrary text for a UTF-8 file, Markdown or a single line."""

# All characters that Python, an editor or a terminal may treat as a line break.
LINE_BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"


def clean(text: object) -> str:
    """Return ``text`` as a string that can be encoded as UTF-8.

    Adjacent halves of a surrogate pair become their character, lone ones U+FFFD. None becomes the empty string, and any
    other object its ``str``.
    """
    if text is None:
        return ""
    result = text if type(text) is str else str(text)
    try:
        result.encode("utf-8")
    except UnicodeEncodeError:
        return result.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return result


def clean_markdown(text: object) -> str:
    """Return ``text`` cleaned, with NUL as U+FFFD.

    CommonMark requires it (section 2.3), and grep treats a file with NUL as binary.
    """
    return clean(text).replace("\0", "\ufffd")


def one_line(text: object) -> str:
    """Return ``text`` cleaned, on one line and stripped."""
    return " ".join(filter(None, clean_markdown(text).splitlines())).strip()
