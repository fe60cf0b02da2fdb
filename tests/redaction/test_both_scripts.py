"""What is hidden in simplified Chinese is hidden in traditional Chinese, and no character beside it changes."""

import pytest

from nanobot_memory_plugins.core.redaction import redact_text
from tests.support.chinese import SCRIPTS, in_script
from tests.support.each import each

SAID = [
    "我的电话是 021-5888 9999，晚上打",
    "手机号：13912345678",
    "护照号是 E12345678",
    "银行卡号 6222020200112233445",
    "银行账户 12345678901234",
    "门禁码是 4471",
    "开门密码 4471#",
    "备用码：8fj2-kd93-slq0",
    "恢复码：8fj2-kd93-slq0",
    "密码是 hunter2!x，别说出去",
    "支付密码 884213",
    "验证码 529162，5分钟内有效",
    "账号 admin 密码 Qwe123!x",
    "帐号密码 admin / Qwe123!x",
    "Tr0ub4dor&3x 是我的密码",
]


@each("text", SAID)
@each("script", SCRIPTS[1:])
def test_a_secret_is_hidden_in_either_script_and_the_rest_stays(text: str, script: str):
    hidden = redact_text(text)
    assert "[" in hidden
    written = redact_text(in_script(text, script))
    assert in_script(written, "simplified") == in_script(hidden, "simplified")
    assert written == in_script(hidden, script)


@pytest.mark.parametrize(
    "text", ["暗証番号は 4471 です", "秘密鍵: 8fj2kd93slq0Zz", "個人番号 1234 5678 9012", "パスワードは hunter2!x です"]
)
def test_a_japanese_label_is_known_with_its_own_characters(text: str):
    assert "[" in redact_text(text)
