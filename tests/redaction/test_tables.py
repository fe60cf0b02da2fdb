from random import Random

from nanobot_memory_plugins.core.redaction import redact_text
from tests.redaction.shapes import ALNUM, PASSWORDS, VENDOR_TOKENS, pick


def test_cells_under_a_sensitive_heading_are_hidden():
    one, two = PASSWORDS["symbols"](Random(1)), PASSWORDS["words and digits"](Random(2))
    for separator in (",", ";", "\t"):
        rows = [["user", "password", "role"], ["bob", one, "admin"], ["ann", two, "guest"]]
        text = "\n".join(separator.join(row) for row in rows) + "\n\nuser and role, as told"
        expected = text.replace(one, "[REDACTED]").replace(two, "[REDACTED]")
        assert redact_text(text) == expected


def test_the_secret_of_an_access_key_file_is_hidden():
    key, secret = VENDOR_TOKENS["aws"](Random(3)), pick(Random(3), ALNUM + "+/", 40)
    text = redact_text(f"Access key ID,Secret access key\n{key},{secret}\n")
    assert key not in text
    assert secret not in text
    assert secret not in redact_text(f"{key} / {secret}")


def test_values_that_are_inserted_into_sensitive_columns_are_hidden():
    statement = (
        "INSERT INTO users (name, password, n) VALUES ('bob', 'Quiet#7h', 1),\n ('ann, b', 'it''s Quiet8', now());"
    )
    assert redact_text(statement) == (
        "INSERT INTO users (name, password, n) VALUES ('bob', '[REDACTED]', 1),\n ('ann, b', '[REDACTED]', now());"
    )


def test_tables_of_other_things_stay():
    for text in (
        "name,tokens,key\nrun 1,5120,left\nrun 2,4096,right\n",
        "INSERT INTO runs (name, n) VALUES ('a1b2c3d4', 5);",
        "| key | value |\n|-----|-------|\n| port | 8080 |\n| password | see vault |",
        "name,password_hint\nbob,my first dog\n",
    ):
        assert redact_text(text) == text
