from random import Random

from nanobot_memory_plugins.core.redaction import redact_text
from tests.redaction.shapes import PASSWORDS, VENDOR_TOKENS
from tests.support.each import each

SENTENCES = {
    "密码是{}，别外传": "别外传",
    "数据库密码为 {} 。明天见": "明天见",
    "口令：{}\n明天见": "明天见",
    "我把服务器密码改成了 {}，记得更新": "记得更新",
    "密码是“{}”，谢谢": "谢谢",
    "账号：admin 密码：{} 地址：a.example": "地址",
    "账号密码 admin / {}": "admin",
    "请把DB_PASSWORD设置为{}，然后重启": "然后重启",
    "配置里写 api_key={}，请部署": "请部署",
    "ｐａｓｓｗｏｒｄ：{}，谢谢": "谢谢",
    '{{"密码": "{}", "名": "甲"}}': "甲",
    "WiFi密码（客厅）：{} 欢迎使用": "欢迎使用",
}


@each("sentence", SENTENCES)
@each("shape", ["symbols", "words and digits", "letters and digits"])
def test_a_password_told_in_chinese_is_hidden(sentence, shape):
    random = Random(sentence + shape)
    for _ in range(5):
        value = PASSWORDS[shape](random)
        text = redact_text(sentence.format(value))
        assert value not in text
        assert SENTENCES[sentence] in text


def test_a_key_between_chinese_words_without_spaces_is_hidden():
    for vendor in ("openai", "github", "aliyun", "aws", "jwt"):
        token = VENDOR_TOKENS[vendor](Random(vendor))
        assert redact_text(f"密钥是{token}请保存") in ("密钥是[API_KEY]请保存", "密钥是[REDACTED]请保存")


def test_escaped_chinese_is_read_too():
    value = PASSWORDS["symbols"](Random(4))
    text = redact_text("".join(f"\\u{ord(c):04x}" for c in "密码：") + value + " ok")
    assert value not in text
    assert text.endswith(" ok")


def test_personal_data_between_chinese_words_is_hidden():
    assert redact_text("联系人手机15987184293已登记") == "联系人手机[PHONE]已登记"
    assert redact_text("邮箱zhang.san@qq.com请查收") == "邮箱[EMAIL]请查收"
    assert redact_text("验证码是 483920，五分钟内有效") == "验证码是 [REDACTED]，五分钟内有效"
