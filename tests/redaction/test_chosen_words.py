"""A password of ordinary words is known by what it opens, the mark that links it, and the end of its clause."""

from __future__ import annotations

import re

from nanobot_memory_plugins.core.redaction import redact_text
from tests.support.each import each

TOLD = (
    "Wi-Fi in the club house: network OarHouse, key «kitchen-gsdqwd-42»",
    "Wi-Fi: OarHouse (key: «oars-and-tea»)",
    "Wi-Fi key is «oars-and-tea»",
    "WiFi: OarHouse, key «oars and tea»",
    "| wifi | OarHouse | key | «oars-and-tea» |",
    "wifi network OarHouse, passphrase «correct horse battery staple»",
    "WLAN Clubhaus, Schlüssel «oars-and-tea»",
    "our wifi is OarHouse and the key is «kitchen42»",
    "SSID: OarHouse  key: «oars-and-tea»",
    "The Wi-Fi in the club house is OarHouse, the key is «oars-and-tea».",
    "club house wifi -> OarHouse, key -> «oars-and-tea»",
    "俱乐部的无线网 OarHouse，密钥 «oars-and-tea»",
    "家里wifi叫OarHouse，钥匙是«oars-and-tea»",
    "wifi名 OarHouse 密碼 «oarsandtea»",
    "guest wifi: OarHouse, pw «tangerine»",
    "wifi password «kitchen-table-green»",
    "my password is «kitchen-table»",
    "the password of the boat shed is «correct-horse-battery».",
    "The passphrase for the deploy key is «seven amber lanterns», write that down",
    "the deploy key's passphrase is «seven amber lanterns».",
    "deploy passphrase: «seven amber lanterns»",
    "Passphrase of the backup disk: «copper owl sings»",
    "our vault's pass phrase is «river stone eleven»",
    "the passphrase for borg changed to «maple tuesday kettle»",
)
NO_PASSWORDS = (
    "the wifi password reset failed, can you help?",
    "WiFi is down, key people are told",
    "the wifi is slow, key question is whether to replace the router",
    "the Wi-Fi key rotation happens monthly",
    "Wi-Fi password: see the fridge",
    "the flat has wifi, the key is under the mat",
    "amenities: wifi, key safe, parking, sea-view",
    "Airbnb: wifi, self-check-in with key, dishwasher",
    "my wifi calls drop, key-value store is fine",
    "wifi: true, key: value",
    "the passphrase is company policy now",
    "passphrase: ask front desk",
    "a passphrase is several random words",
    "the passphrase for the key is asked once daily",
    "the passphrase for the key is stored in the vault",
    "Enter passphrase for key: permission denied again",
    "the Wi-Fi has the key WPA2-PSK, we think",
    "my password is case-sensitive",
    "the password is hard-coded",
    "password is up-to-date",
    "房间有wifi，钥匙在前台",
    "wifi密码忘了",
)


@each("text", TOLD)
def test_a_password_of_words_goes(text):
    assert redact_text(re.sub("[«»]", "", text)) == re.sub("«.*?»", "[REDACTED]", text)


@each("text", NO_PASSWORDS)
def test_what_is_said_of_a_network_or_a_password_stays(text):
    assert redact_text(text) == text
