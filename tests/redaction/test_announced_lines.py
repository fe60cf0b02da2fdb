"""Secrets are found on the lines below one that announces them."""

from __future__ import annotations

import re

from nanobot_memory_plugins.core.redaction import redact_text
from tests.support.each import each

SEED = (
    "1. harvest\n2. cinnamon\n3. bullet\n4. oxygen\n5. pyramid\n6. sketch\n7. rival\n8. umbrella\n9. donkey\n10. frozen"
    "\n11. lemon\n12. theory"
)
TOLD = (
    f"MetaMask backup (do NOT photograph)\n1. «{SEED[3:]}»\nkept in the drawer",
    "Dropbox 2FA backup codes. Printed on 3 March, each works once:\n  «pivq 1e4f»\n  «klu7 cfw2»\n  «y73k 5rh6»",
    "Password for the elastic user (reset with `bin/reset -u elastic`):\n  «mBEK1pOb8dsQ=*+»\n\nmore",
    "recovery codes\n- «8fk2-99ab»\n- «00ab-kk31»\n- «77zz-1q2w»",
    "恢复码如下：\n«2FRP-X87V»\n«BLJO-8SXU»\n放在保险箱",
    "Secret Key   see below\nPassword     «correct velvet 9 trombone»",
    "Recovery sheet, do not photograph\n«ladder summer exotic brisk\ncactus noble tunnel wheat\n"
    "gossip marble orbit denial»",
)
OTHER_LINES = (
    "Recovery phrase:\nkeep it safe and never type it into any site that asks you for it",
    "Backup codes page:\nopen it\nread it\n",
    "My password rules:\n- long\n- not reused\n- in a manager",
    "Seed the database:\nmake seed\nmake run",
    "wallet notes\nbought bread\nmilk and eggs",
    "Login codes:\n2024-05-01\n2024-05-02",
)


@each("text", TOLD)
def test_what_stands_below_an_announcement_goes(text):
    assert redact_text(re.sub("[«»]", "", text)) == re.sub("«[^»]*»", "[REDACTED]", text)


@each("text", OTHER_LINES)
def test_other_lines_below_such_a_word_stay(text):
    assert redact_text(text) == text
