"""Passwords are known by what they look like and what is said around them, in any order of the words."""

from __future__ import annotations

import re

from nanobot_memory_plugins.core.redaction import redact_text
from tests.support.each import each

TOLD = (
    "You can get in with mbauer and «Kastanie!83»",
    "Try «winterberg19» for the old laptop, if not then «Winterberg#20»",
    "I always forget: steam «darkLord77x»",
    "ssh into the pi with user pi and «raspb3rry-tart»",
    "the pdf opens with «Lohn-2023-0815»",
    "VPN：用户名 wangwei，«Ww_8891qaz»",
    "帳號 hsu.m 密碼 «Hsu$0912» 麻煩改一下",
    "no sorry, the password is with a capital: «Maulwurf2019»",
    "it wasn't «tundra2868» any more, now the password is «sunset8493!»",
    "the default key on the box is «Hn7PqKz2»",
    "you type «ottercrystal949» at the lock screen, that's the password",
    "Tom: whats the wifi\nEva: «apfelkuchen23»\nTom: thx",
    "user: 密码是多少\nassistant: «qwe@9981»",
    "A：驗證碼多少 B：«330918»",
    "Password:\n«Frosch_mit_Hut7»\nForgot it?",
    "oh and the wifi is «parrotkitten838», see you",
    "his dog's name as the password, it's literally «echocastle17» on every site",
    "The zip is encrypted, use «0PEySYwph» to open it",
    "I log into Shopify as owner with «Canyon_Shadow39*» and into Xero",
    'key = hashlib.sha256(b"«Sunset#Cobalt78»").digest()',
    "web1 10.1.2.3 root «Pbx%9sTr0ng»",
    "namecheap login: otterworks / «Gl@cierBay7»\nhosting one: same user, «Gl@cierBay8»",
    "the staging Basic Auth: stage-user-77 / «Peach_Tree_77»",
    "teh paswrd for zoom is «k1ttens», it starts at 7",
    "百度网盘帐户密玛：«bdwp7788»，会员到年底",
    'server.login("me@localhost.lan", "«qbqf kzlw mtva pxou»")',
    "password for the pool gate: «Flamingo_22»\n*«Flamingo_23» sorry, they change it each season",
    "teamviewer is open, password «tz4m8q». the printer queue is stuck",
    "laptop first login «Welcome-Aardvark-61», desk by the window",
    "The attached PDF is protected. To open it enter the following: «mcal0417-8826»",
    'Wifi "Casa Lume" / «amarena22»',
    "The menu asks for a login: {{root}} / {{«initpass-etikett»}}. Pull the plug if it hangs.",
    "* Basic auth: preview / «nochNichtLive»\n* Mails are caught",
    "WLAN-Netzwerkschlüssel: «58214076639150427718»",
    "用户名 user 密码 «k3fbu»\n无线网络名称 ChinaNet-7xQa",
    "Serial: «PD9P-34Q1H-9N630-ZW92K-5VSVR»\nDownload it",
    "the backup disk passphrase: «nine geese never argue about rent» -- all lower case",
    "Your recovery codes\nEach code can be used once. Keep them offline.\n1. «83a5e-569iv»\n2. «5vwxz-n705e»",
    "高德的 key 超额了，先换我这个 «0d5cbd06e6dde6bafacd835014825dee» 顶两天",
)
OTHER_VALUES = (
    "login failed for user maria82 from 10.0.0.4",
    "Logged in as pascal77 since Monday, the username is otto1985",
    "The router model is RT-AX88U, firmware 3.0.0.4",
    "the password protected file invoice_2024_03.pdf",
    "encrypted with AES256 and signed with RSA4096",
    "sign in with your Microsoft365 account at v2.example.com/signin2",
    "The wifi at ICE4711 was slow, unlock it with iOS17.2",
    "Password:\nForgot your password?",
    "whats the wifi\nno idea, ask Eva",
    "jdbc:mysql://store3.corp.example:3306/crm?useSSL=false, root server",
    "無線網路名稱是 Office-5F，密碼明天再說",
    "the wifi is wonderful here",
    "the password is old, it's time to change it",
    "The zip is encrypted, use python3.11 tools for it",
    "I log into Shopify with Google",
    'key = hashlib.sha256(b"invoice").digest()',
    "from 10.1.2.3 user Kq2webTwo",
    "interface: wg0\n  public key: Qyfe+i1CHmOa3clT0Hi0To+B1B/J9JtvhhyBK9rEDvs=",
    "Public key: age19hkjxxmeyubq7n7kdq9xi3qqkrdda55a4z9ep72gpak27eyrfkzeq8gvgd",
    "Setting up libsecret-1-0:amd64 (0.21.4-1build3) ...",
    "the sample credentials are AKIAIOSFODNN7EXAMPLE and wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY.",
    "login: yes / no, the credentials: Google / Apple",
    "password expired, sorry, the old one was better",
    "password table 4 and schlüssel 12",
    "The laptop order number is W1187724, with delivery between 9 and 11 June",
    "The order number for the laptop is W1187724.",
    "My Amazon order number is W1187724",
    "The iPhone serial number is F2LXK1ZFJG",
    "Netflix invoice no. is N88213X7",
    "the router part number is A2038R561",
    "PayPal case number is PP77123A",
    "Zoom ticket number is Z88213Q",
    "The server serial no. is SN48813A7",
    "eBay tracking number is R9911273DE",
    "The macbook booking reference is XK7P2Q9",
    "订单号是W1187724",
    "我的航班号是CA1234",
)


@each("text", TOLD)
def test_a_value_that_looks_like_a_password_goes_beside_a_word_for_one(text):
    assert redact_text(re.sub("[«»]", "", text)) == re.sub("«.*?»", "[REDACTED]", text)


@each("text", OTHER_VALUES)
def test_the_name_of_another_thing_stays(text):
    assert redact_text(text) == text
