"""What tools print and services send: the secret goes, and what stands beside it stays."""

from nanobot_memory_plugins.core.redaction import redact_text
from tests.support.each import each

SECRET = "Wc41nPqRz8TfLmXa"


@each(
    "text",
    [
        "======== Data ========\nKey            Value\n---            -----\nhash_salt      {}\nowner          ops",
        '{{\n  "db_password": {{ "sensitive": true, "type": "string", "value": "{}" }}\n}}',
        "deploy : TTY=pts/0 ; PWD=/srv/app ; COMMAND=/usr/bin/mysqldump -uroot -p{} --single-transaction payroll",
        "QNAP > SNMP\nPort: 161\nCommunity (rw): {}\nTrap address: none",
        "SNMP settings\nport 161\ncommunity: {}\nlocation: rack 4",
        "Q: what's the answer to the security question (first pet)?\nA: {}",
        "<dl><dt>Network</dt><dd>Hotel-Guest</dd><dt>Wi-Fi password</dt><dd>{}</dd></dl>",
        "kind: Secret\nstringData:\n  username: deploy-bot\n  password: {}\n  registry: harbor.shop.lan:5000",
        "対 Wi-Fi 名稱是 Office-5F，密碼 {} ，訪客也可以用",
        "玉山銀行 OTP 密碼 {}，交易金額 NT$3,280，請核對",
        " usename | passwd\n---------+--------\n billing   | {}\n(1 row)",
    ],
)
def test_the_secret_goes_and_nothing_beside_it(text):
    assert redact_text(text.format(SECRET)) == text.format("[REDACTED]")


@each(
    ("text", "hidden"),
    [
        ("password: |\n  Tangerine9-moon\n  lake77!\nuser: me", "password: |\n  [REDACTED]\nuser: me"),
        ("api_token: >-\n    wcabnpqrzqtf\n    LmXaWc41nPqR\nnext: 3", "api_token: >-\n    [REDACTED]\nnext: 3"),
        (
            "Recovery codes:\n- 2FRP-X87V\n- BLJO-MSXU\n- keep them\n",
            "Recovery codes:\n- [REDACTED]\n- [REDACTED]\n- keep them\n",
        ),
        (
            "| Card | PIN | Balance |\n|---|---|---|\n| 2666 4409 4412 779 | 3403 | 25.00 |",
            "| Card | PIN | Balance |\n|---|---|---|\n| [REDACTED] | [REDACTED] | 25.00 |",
        ),
        ("login with user=ci password=Brown.Bear_17 region=eu", "login with user=ci password=[REDACTED] region=eu"),
        (
            "Bot: Please enter the API key of your account.\nJan: c7d88220dad3a11cc57d5934084f1531\nBot: Saved.",
            "Bot: Please enter the API key of your account.\nJan: [REDACTED]\nBot: Saved.",
        ),
        ("Landlady: 0171 4839265 (evenings)", "Landlady: [PHONE] (evenings)"),
        ("driving licence number MORGA556939SM9BZ for the van", "driving licence number [ID_NUMBER] for the van"),
        ("手动输入密钥：qshr dkde sdxc hlhz ，选择基于时间", "手动输入密钥：[REDACTED] ，选择基于时间"),
    ],
)
def test_a_secret_of_several_lines_or_groups_goes_whole(text, hidden):
    assert redact_text(text) == hidden


@each(
    "text",
    [
        "Get:1 http://mirror.example/debian bookworm/main amd64 passwd amd64 1:4.13+dfsg1-1 [972 kB]",
        "sudo: deploy : TTY=pts/0 ; PWD=/srv/app ; USER=root ; COMMAND=/bin/ls",
        "Community: everybody meets in room B2024 on Friday",
        "vault_password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  6263\n",
        "Recovery codes: see the REAL-TIME and FULL-TEXT chapters",
        "Voucher code: SUMMER2025",
        "password=Config.Password_1",
        "| Card | Status | Points |\n|---|---|---|\n| 2666 | open | 5 |",
        "$ kubectl get secret admin -o jsonpath='{.type}'\nOpaque",
    ],
)
def test_what_is_no_secret_stays(text):
    assert redact_text(text) == text
