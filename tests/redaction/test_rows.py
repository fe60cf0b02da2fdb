"""The rules that are rows: each hides what its example marks, and nothing of its counter-example."""

from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.redaction.detectors.chat_secrets import CHAT
from nanobot_memory_plugins.redaction.detectors.chosen_words import CHOSEN
from nanobot_memory_plugins.redaction.detectors.logins import LOGINS
from nanobot_memory_plugins.redaction.detectors.personal_ids import IDS
from nanobot_memory_plugins.redaction.detectors.printed_secrets import PRINTED
from nanobot_memory_plugins.redaction.detectors.said_codes import CODES
from nanobot_memory_plugins.redaction.detectors.settings_and_calls import FURTHER_TOLD
from nanobot_memory_plugins.redaction.detectors.wallets import WALLETS
from nanobot_memory_plugins.redaction.rules.rows import SECRET_CLOSES, SECRET_OPENS, Row
from tests.support.each import each

ROWS = [row for rules in (CHAT, CHOSEN, CODES, FURTHER_TOLD, IDS, LOGINS, PRINTED, WALLETS) for row in rules.rows]


@each("row", ROWS)
def test_a_row_hides_what_its_example_marks_and_nothing_of_its_counter_example(row: Row):
    before, rest = row.example.split(SECRET_OPENS)
    secret, after = rest.split(SECRET_CLOSES)
    assert redact_text(before + secret + after) == before + row.placeholder + after
    assert redact_text(row.counter) == row.counter
