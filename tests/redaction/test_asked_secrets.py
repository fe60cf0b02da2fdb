"""Answers to questions about secrets, and words for secrets in letters that only look Latin."""

from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.redaction.detectors.asked_secrets import hide_answer
from tests.support.each import each


@each(
    ("text", "secret"),
    [
        ("and the code?\n7731", "7731"),
        ("What's the wifi password?\nbluebird", "bluebird"),
        ("user: what was the door code?\nassistant: It's 7731.", "7731"),
        ("Q: and the pin? A: 4471", "4471"),
        ("[10:02] Ana: which password?\n[10:03] Bob: it's sunflower", "sunflower"),
        ("门禁密码是多少？\n7731#", "7731#"),
        ("what's the api key?\n\n> k3Jd8sLq02mZxTbv", "k3Jd8sLq02mZxTbv"),
    ],
)
def test_the_answer_to_a_question_about_a_secret_is_hidden(text, secret):
    assert redact_text(text) == text.replace(secret, "[REDACTED]")


@each(
    "text",
    [
        "What's the error code?\nE404",
        "Do you know the zip code?\n10115",
        "Which key?\nThe left one",
        "Do you use a token?\nYes",
        "Is the password stored?\nNo, only its hash.",
        "Did you review the code?\nTwice",
        "Which password manager?\nBitwarden is fine",
        "How many tokens?\n4096",
        "Can you help me choose a password?\nCertainly! Let us begin.",
        "Which password did I use?\nHonestly, I forgot.",
    ],
)
def test_other_answers_stay(text):
    assert redact_text(text) == text


def test_a_value_that_ends_in_a_question_mark_is_no_question():
    assert redact_text("DB_PASSWORD=Garnet$uoerdCOZ?\nPORT=8080") == "DB_PASSWORD=[REDACTED]\nPORT=8080"


@each(
    ("question", "answer", "shown"),
    [
        ("What is the gate code?", "7731", "[REDACTED]"),
        ("Sure. And the wifi password?", "it's bluebird, I think", "it's [REDACTED], I think"),
        ("What is the gate code? I forgot.", "7731", "7731"),
        ("How old is he?", "7731", "7731"),
        ("保险柜密码是多少？", "884213", "[REDACTED]"),
    ],
)
def test_an_answer_in_a_message_of_its_own_is_known_by_the_message_before(question, answer, shown):
    assert hide_answer(question, answer) == shown


@each("word", ["p\u0430ssword", "passw\u043erd", "p\u03b1ssword", "s\u0435cret key", "t\u043eken"])
def test_a_word_for_a_secret_in_letters_that_look_latin_counts(word):
    assert redact_text(f"{word}: k3Jd8sLq02mZ") == f"{word}: [REDACTED]"
