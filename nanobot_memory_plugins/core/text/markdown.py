"""Making any text fit for a line, a file and UTF-8."""

# Everything that Python, an editor or a terminal may take for the end of a line.
LINE_BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"


def clean(text: object) -> str:
    """Return ``text`` as a string that UTF-8 can hold.

    Halves of a surrogate pair that are adjacent become their character, lone ones U+FFFD. None
    becomes the empty string; other objects become their ``str``.
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

    CommonMark asks for that (section 2.3), and grep takes a file with a NUL for a binary one.
    """
    return clean(text).replace("\0", "\ufffd")


def one_line(text: object) -> str:
    """Return ``text`` cleaned and on one line, without space around it."""
    return " ".join(filter(None, clean_markdown(text).splitlines())).strip()
