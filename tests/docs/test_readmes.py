"""The README in English and the one in Chinese are the same document, and name every other one."""

import re

from tests.docs.pages import CHINESE_README, DOCS, README, ROOT, is_elsewhere, read

ENGLISH, CHINESE = read(README), read(CHINESE_README)
# A version of the other language leads back.
OTHER = {README.name, CHINESE_README.name}
HAN = re.compile(r"[\u4e00-\u9fff]")


# What is said and asked, each in its language.
QUOTED = re.compile(r'"[^"]*"')


def in_chinese(link: str) -> str:
    """Return where a link of the English README leads in the Chinese one: to the Chinese page, where there is one."""
    folder, _, page = link.rpartition("/")
    has_one = folder == "docs" and (ROOT / "docs" / "zh" / page).exists()
    return f"docs/zh/{page}" if has_one else link.replace("-en.svg", "-zh.svg")


def test_each_links_to_the_other_at_its_top():
    assert ENGLISH.links[0] == CHINESE_README.name
    assert CHINESE.links[0] == README.name
    for path in (README, CHINESE_README):
        assert "](" in path.read_text(encoding="utf-8").splitlines()[2]


def test_they_have_the_same_headings_in_the_same_order():
    assert [tag for tag, _ in CHINESE.headings] == [tag for tag, _ in ENGLISH.headings]
    assert CHINESE.headings[0] == ENGLISH.headings[0]
    assert all(HAN.search(text) for _, text in CHINESE.headings[1:])
    assert not any(HAN.search(text) for _, text in ENGLISH.headings)


def test_they_have_the_same_code():
    def code(page):
        return [(language, re.sub(r'(-m|why|search) "[^"]*"', r'\1 "..."', text)) for language, text, _ in page.code]

    assert code(CHINESE) == code(ENGLISH)  # but for what is said and asked, each in its language
    samples = re.findall(r'(?:-m|why) "([^"]*)"', "".join(text for _, text, _ in CHINESE.code))
    assert samples
    assert all(HAN.search(one) for one in samples)
    quoted = [one for span in CHINESE.spans if span.startswith("nanobot") for one in QUOTED.findall(span)]
    assert quoted
    assert all(HAN.search(one) for one in quoted if "[" not in one)


def test_they_have_the_same_links_in_the_same_order_and_pictures_of_their_language():
    english = [one for one in ENGLISH.links if one not in OTHER]
    assert [one for one in CHINESE.links if one not in OTHER] == list(map(in_chinese, english))


def test_their_tables_have_the_same_rows():
    assert len(CHINESE.tables) == len(ENGLISH.tables)
    for english, chinese in zip(ENGLISH.tables, CHINESE.tables, strict=True):
        assert [len(row) for row in chinese] == [len(row) for row in english]
        # A head, and a row that only divides, is a word of the language; everything else is a name.
        named = [(e[0], c[0]) for e, c in zip(english[1:], chinese[1:], strict=True) if "**" not in e[0]]
        assert [QUOTED.sub("", c) for _, c in named] == [QUOTED.sub("", _linked(e)) for e, _ in named]


def _linked(cell: str) -> str:
    """Return the first cell of a row as the Chinese README has it: a page is named by where it stands."""
    found = re.fullmatch(r"\[(docs/\w+\.md)\]\(\1\)", cell)
    return f"[{in_chinese(found[1])}]({in_chinese(found[1])})" if found else cell


def test_they_name_the_same_commands_and_files():
    def names(spans):
        return sorted({QUOTED.sub("", one) for one in spans if one.startswith(("nanobot-memory", "memory/", "pip "))})

    assert names(CHINESE.spans) == names(ENGLISH.spans)


def test_they_name_every_document_and_list_it_once():
    listed = [row[0] for row in ENGLISH.tables[-1]]
    for path in DOCS.glob("*.md"):
        assert listed.count(f"[docs/{path.name}](docs/{path.name})") == 1, path.name
    assert not [link for link in ENGLISH.links if not is_elsewhere(link) and not (README.parent / link).exists()]


def test_nothing_of_the_english_text_was_left_as_it_is():
    english = {line for line in README.read_text(encoding="utf-8").splitlines() if len(line) > 60}
    same = english & set(CHINESE_README.read_text(encoding="utf-8").splitlines())
    code = {line for _, text, _ in ENGLISH.code for line in text.splitlines()}
    assert same <= code
