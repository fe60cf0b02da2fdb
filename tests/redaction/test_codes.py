"""Codes that let somebody in are found by what is said around them."""

from nanobot_memory_plugins.core.redaction import redact_text
from tests.support.each import each


@each(
    ("text", "secret"),
    [
        ("The alarm code is 379005, keep that secret please", "379005"),
        ("unlock my phone with PIN 931129", "931129"),
        ("the secret safe combination is 54241824, don't write it down", "54241824"),
        ("Safe combination 34-9-32, turn it right first", "34-9-32"),
        ("427186 is your Google verification code.", "427186"),
        ("the 2FA code I just got is 196646, type it quickly", "196646"),
        ("the code for the building is 8041# — take the stairs", "8041"),
        ("Alarm's on. 7677 to disarm, the panel is behind the door", "7677"),
        ("Locker 53 at the gym, code 0271, my shoes are in there", "0271"),
        ("For the renewal the security code of the card is 163", "163"),
        ("new SIM, PUK 71492350", "71492350"),
        ("我的手机锁屏密码 409701", "409701"),
        ("动态密码:899768(转账用),工作人员不会向您索取", "899768"),
        ("办公室门禁：9380，进去左手边", "9380"),
        ("信用卡卡背面三位数是 126，有效期 08/27", "126"),
        ("郵局金融卡密碼是247904，不要寫在紙上", "247904"),
        ("163邮箱的授权码是 TJPIONUTMGJEUTYG", "TJPIONUTMGJEUTYG"),
        ("链接在这里 提取码: qws4", "qws4"),
        ("暗証番号は4870です。", "4870"),
        ("인증번호 492171 를 알려주지 마세요", "492171"),
        ("Die Geheimzahl meiner Karte ist 2671, nicht weitersagen", "2671"),
        ("Votre code confidentiel est 088762", "088762"),
        ("Tu código de verificación es 739617.", "739617"),
        ("BitLocker recovery key: 100207-947268-564173-731710-208340-055252-816056-883969", "947268"),
        (
            "我的助记词是 traffic twist bubble upset tell tree into current they truth idea popular ，帮我导入",
            "tell tree into",
        ),
        ("Use 975816 as your Valley login code. Don't share it.", "975816"),
        ("MFA setup key: AQXR EREJ JGVX 54RT", "JGVX"),
        ('{"recovery_codes": ["fab5e-40586", "95701-f2412", "a5229-301a1"]}', "95701-f2412"),
        ("两步验证恢复码：b5d86-d2ece、d7ac8-bca7b，用一个少一个", "b5d86-d2ece"),
        ("my 2FA backup codes: 5e7f6-166bd, 2d553-c1211, 5ea03-8f856 store offline", "2d553-c1211"),
        ("My LUKS passphrase: saffron willow cobalt copper sunset", "cobalt copper"),
        ("if I die: bitwarden master pw sparrow-falcon-puzzle-copper", "falcon-puzzle"),
        ("IMAP on port 993, app password abhh sltj smfu tszi", "sltj smfu"),
        (
            "recovery phrase (12 words): manual cube bean address police torch verb wire wink deny apple zoo. Keep it",
            "police torch",
        ),
    ],
)
def test_a_code_is_hidden(text, secret):
    assert secret not in redact_text(text)


@each(
    "text",
    [
        "the request failed with status code 5003",
        "exit code 1045 means that access was denied",
        "ZIP code 94107, area code 4155",
        "The PIN must have 4 digits, the password 1234 characters at most",
        "GPIO pin 13 of the board is ground",
        "验证码 60 秒后可重发，共 4 位",
        "密码 8 到 20 位，每 90 天更换",
        "the safe 2026 release",
        "the backup codes page was moved",
        "Enter the passphrase for the key when you are asked for it",
    ],
)
def test_a_number_that_lets_nobody_in_stays(text):
    assert redact_text(text) == text
