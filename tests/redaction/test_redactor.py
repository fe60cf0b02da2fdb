import base64
import re
import string
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.redaction.engine.turns import hide_answer
from nanobot_memory_plugins.redaction.rules.rule import Rule
from tests.behaviour.kit.shapes import PASSWORDS, VENDOR_TOKENS, cn_id, jwt, key_block
from tests.support.each import each
from tests.support.examples import examples

FRAGMENTS = st.sampled_from([
    "password", "=", ": ", "\"", "'", "\\", "\\n", "[", "]", "[API_KEY]", "[REDACTED]", "[EMAIL]", "token",
    "://", "@", "a@b.com", " is ", "密码", "是", "：", "key", "Bearer ", "Authorization: ", "Cookie: ", "sk-",
    "ghp_", "eyJ", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "\n", " ", "\u200b",
    "\u001b[1m", "\u0000", "\ud800", "%40", "&quot;", "13912345678", "hunter2", "Zx9!kQ", "0123456789abcdef",
    "{", "}", ",", ";", "<", ">", "|", "--",
])  # fmt: skip
SECRETS = st.integers(0, 10**6).map(
    lambda seed: Random(seed).choice([*VENDOR_TOKENS.values(), *PASSWORDS.values(), cn_id, jwt])(Random(seed))
)
MIXED = st.lists(FRAGMENTS | SECRETS | st.text(max_size=8), max_size=25).map("".join)


@settings(max_examples=examples(300), deadline=None)
@given(MIXED)
@example("password=[REDACTED]word=password=[REDACTED]")
def test_redacting_twice_changes_nothing(text):
    once = redact_text(text)
    assert redact_text(once) == once


def test_an_address_in_single_quotes_keeps_both_quotes():
    assert redact_text("('ann@fern.org', 'bo')") == "('[EMAIL]', 'bo')"


def test_text_next_to_a_placeholder_is_not_hidden_with_it():
    assert redact_text("【Sierra】您的验证码是048729,5分钟内有效") == "【Sierra】您的验证码是[REDACTED],5分钟内有效"


def test_a_rule_with_an_invalid_placeholder_is_refused():
    with pytest.raises(ValueError, match="placeholder"):
        Rule("x", "<hidden>", re.compile("x"))
    with pytest.raises(ValueError, match="anchored"):
        Rule("x", "[HIDDEN]", re.compile("x"), anchored=True)


def test_a_value_and_a_block_longer_than_a_window_are_hidden_completely():
    value = "".join(Random(6).choices("abcdefgh0123456789XYZ", k=60_000))
    assert redact_text(f"a\napi_key={value}\nb") == "a\napi_key=[REDACTED]\nb"
    assert redact_text(f'{{"password": "{value}", "n": 1}}') == '{"password": "[REDACTED]", "n": 1}'
    block, _ = key_block(Random(7))
    filler = "some words of no interest\n" * 640
    assert redact_text(filler[:16_300] + block + "\nend") == filler[:16_300] + "[PRIVATE_KEY]\nend"


def test_base64_is_hidden_only_if_it_encodes_a_secret():
    secret = base64.b64encode(f"DB_PASSWORD={PASSWORDS['symbols'](Random(1))}\n".encode()).decode()
    token = base64.b64encode(f"use {VENDOR_TOKENS['github'](Random(1))} now".encode()).decode()
    plain = base64.b64encode(b"The quick brown fox jumps over the lazy dog.").decode()
    assert redact_text(f"echo {secret} | base64 -d") == "echo [REDACTED] | base64 -d"
    assert redact_text(f"x {token} y") == "x [REDACTED] y"
    assert redact_text(f"echo {plain} | base64 -d") == f"echo {plain} | base64 -d"


def test_the_secret_in_an_answer_to_a_question_is_hidden_and_other_answers_are_unchanged():
    answers = {
        "What's the wifi password?": ("It's tangerine, I think", "It's [REDACTED], I think"),
        "What is the alarm code?": ("Sure, 5521#", "Sure, [REDACTED]"),
        "口令是什么？": ("好的：tiger88", "好的：[REDACTED]"),
        "Did you change the password?": ("yes, yesterday", "yes, yesterday"),
        "Is the code ready?": ("Yes, version 2.3.1 is out", "Yes, version 2.3.1 is out"),
        "Which error code do you see?": ("404", "404"),
        "Who wrote it?": ("tangerine", "tangerine"),
    }
    shown = {question: hide_answer(question, answer) for question, (answer, _) in answers.items()}
    assert shown == {question: expected for question, (_, expected) in answers.items()}


@each(
    "text",
    [
        # an answer on the line below its question
        "Q: PIN for the company card?\nA: «6620»\nQ: which floor?\nA: 6620",
        "[12:01] Ana: what's the door code?\n[12:02] Ben: it's «2468#»\nAna: and the floor?\nBen: 2468",
        "> what was the pass for the shared drive again?\n> «Cobalt-dingo-5»",
        "哥，wifi多少？\n«liulianfan888»",
        "ping me the robot's pw\n[10:03] Élise: «gr8Robot77»",
        "Q: which key opens the map?\nA: F11",
        "and the wifi name?\nBen: CafeNero_5G",
        "what's your password policy?\n90days rotation",
        # what looks like a password, beside an account or below a heading
        "lab-01  root  «kkrj2mfgt1r»\nlab-02  root  uptime 41d\nlab-03  root  sshd_v9.6p1",
        "Host cam-04  user viewer  «mmq7x2kd»",
        "printer HP-4F admin «tonerKing5», fax unused",
        "user is dpark, then «Nimbus.4471». The file is in Documents/tax2025",
        "host db.internal, port 5432, user reports, and «x7Qp!92mN» to get in",
        "SSH into 10.0.4.17 as deploy with «Rt5!mondayblue»",
        "Logins:\n- mail: lena, «kq8Zrvv01x»\n- shop: lena, «Moos+Fels3»\n\nBuild: web, kq8Zrvv02x",
        "Passwords:\nguests «Lavender88x9K» (till May)\nmail «Moos+Fels3»\nuse 1Password8\n\nmodel Moos+Fels3",
        "Logins:\n" + "\n".join(f"shop{number} «Moos+Fels{number}»" for number in range(100, 180)),
        "Our accounts:\nacme-corp  Enterprise2024\nglobex  Starter2023",
        "Password rules:\n- at least 12chars\n- rotate every 90days",
        "credentials:\n  username: svc_x9.billing\n  region: eu_west-1x",
        "persist-credentials: false\n\n- uses: ossf/card@62b2cac7ed8198b15 # v2.4.0",
        "if not credentials:\n    host = api_mtls_endpoint2",
        "Logins last week: mon 41, tue 38\nagents: lena, kq8Zrvv01x",
        "user: zhangwei88, role: admin, dept: R&D-2",
        "user deploy joined #proj-x7; user jenkins2_web, kernel 6.8.0-31-generic",
        "the roles admin, support_v2.1 and root/var2_x.4",
        # behind links of other languages; what has a label of its own stays
        "Das Kennwort fürs WLAN ist «Seestern1988», Schlüssel unter Stein 3",
        "Le mot de passe du coffre c'est «girafe-bleue-77», le dossier est A-12",
        "La clave del wifi es «Girasol_2211»",
        "La contraseña del router: «casaverde2024», modelo HG8145V5",
        "The one-time code is «882 014»",
        "cvc on the back reads «771», the door code is «*A 4 7 2»",
        "Пароль от почты: «zimushka1985», папка Входящие",
        "Enter «3391» when the intercom beeps, room 3391",
        "gate: «5590#», row: 5590, type 2200 pcs on the door form",
        "he told me the combo, «36-12-24», locker 118; combo meal 36-12-24",
        "Voici le code de la porte: «A2471», 3e étage",
        "WiFi名Office-5G，密码«officenet2023»",
        "steam acc: darkelf_99 pw: «Gx!ra7weiss»",
        "到了按«1984»开门禁",
        "press 9 for an outside line, then dial ext 2207",
        "we put 2000 chairs near the stage, type 4000 words",
        "Codice porta: «77K12», citofono Rossi; el código postal es 28012",
        'if (password.length < 8) throw new Error("ERR_PW01")',
        # a chosen password, by its marks and by how it was typed
        "my password is «Harbor#HwLMeaZq*», keep it to yourself, the password is **strong**, not *weak*",
        "the password for the NAS is «Fluffy!cat», restart it with Ctrl+Alt+Del",
        "邮件组的密码 «Jfb&sync-Lixia»,只在内网用",
        "login admin «Fluffy!Cats»",
        "访客的密码每季更新,这一季是 «chunfeng-4488»",
        'smtp said no to user "bot", pass "«Brambling.77.Quay»", port 587',
        "I kept typing it from the sticky note: «Jacaranda_4Avenue»",
        "Log on as operator with «nanopore-Flowcell!R10»",
        "试了半天,最后输«MoliCha_77»才连上,数据传输150Gbps",
        "我家wifi叫guoguo_5G,路由器一直用的«Liuyun#0926d»",
        "备用账号的 key:«b2c01f20b0547b3f843cc0fc6bbef68e»(高德),密钥已抄录:«43a2e21b6addd2d3d090711f56c9469f»",
        "psk=«rye flour 1932 oven»\nchannel=11",
        "PGPASSWORD=«moss22» psql https://h.example/?map_k=«9f86d081884c7d659a2feaa0c55ad015»&z=1",
        # a code, by where and how it is typed
        "the alarm beeps, so walk to the panel & punch in «17502#»",
        "the bank just sent «969849», type that in quick",
        "The lab keypad was changed. It's now «0619X»; the lab is 1200 years old",
        "there's a lock on the app. type «2753296» and hold the star",
        "楼下单元门按«3481»再按钥匙键,会员输了5000块",
        "智能锁,输«13766608»再按井号",
        "车库的密码换了吗?昨天进不去\n小赵: 换了,这周用«207859»",
        "the box by the meter opens with «2079». The show opens with 2079 guests",
        "我密码忘了,12306那个要人脸; 密码含字符时报 40013; 密码器坏了,报修单号 WX20250309",
        "I set the iPad to «281904» so they stop, the iPad is 120000 dollars; 我的平板开机是«147369»",
        "we just sent 250000 leaflets, the bank just sent «250001», so hurry",
        "the alarm shuts off with «1029», the alarm is at 0630. The lockbox on the railing takes «3058»",
        "The till wants its card, key in «4096» and press subtotal; 单元门«2580»加井号",
        "Ann: I've sent you a code.\nTom: Got it, «208841»\nTom: 208842 euros",
        "客服: 短信验证码发过去了\n我: «730518»\n单号: 请填写密码\n限时: 3000",
        "the studio door is «6619» then the green button, the PIN letter says «5527»",
    ],
)
def test_the_marked_parts_are_hidden_and_nothing_else(text):
    assert redact_text(re.sub("[«»]", "", text)) == re.sub("«.*?»", "[REDACTED]", text)


def test_a_list_of_column_definitions_is_not_a_table_heading():
    text = "password | varchar(128) | login\nid_card | varchar(18) | card"
    assert redact_text(text) == text


@pytest.mark.parametrize("name", ["password: ", "password=", "api_key: "])
def test_a_long_unquoted_value_is_hidden_to_its_end(name: str):
    draw = Random(7)
    value = "".join(draw.choices(f"{string.ascii_letters}{string.digits}!#%*+-_/", k=600))
    hidden = redact_text(f"{name}{value}")
    assert value[-60:] not in hidden
    assert value[300:360] not in hidden


@each(["text", "secret"], [("requirepass gar[Dune69x", "Dune69x"), ("backup codes [Work]: 8f3k-2l9d", "8f3k")])
def test_a_bracket_in_or_before_a_secret_does_not_reveal_it(text: str, secret: str):
    assert secret not in redact_text(text)
