"""What is typed into tools, protocols and forms, and what tools print, is found by its place."""

from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.redaction.engine.redactor import Redactor
from tests.support.each import each

SECRET = "Veil7lampRow93"


@each(
    "text",
    [
        "$ htpasswd -nb admin {}",
        "$ poetry config http-basic.internal ci {}",
        "snmpwalk -v3 -u monitor -l authPriv -a SHA -A {} -x AES -X otherone build07",
        "snmpwalk -v3 -u monitor -l authPriv -a SHA -A otherone -x AES -X {} build07",
        "openssl enc -aes-256-cbc -in a.tar -out a.enc -k {}",
        "rar x -hp{} old.rar",
        "net use Z: \\\\filesrv\\share /user:CORP\\me {}",
        "echo -n '{}' | kubeseal --raw --name db",
        "crypto isakmp key {} address 203.0.113.9",
        "snmp-server community {} RO",
        "user worker on >{} ~jobs:* +@all",
        "10.0.0.9:6379> AUTH {}\nOK",
        'CONFIG SET requirepass "{}"',
        "a001 LOGIN joe {}\na001 OK",
        "AUTH PLAIN {}",
        "334 UGFzc3dvcmQ6\n{}\n235 ok",
        "xfreerdp /v:10.0.0.9 /u:rosa /p:'{}' /dynamic-resolution",
        "aws ssm put-parameter --name /prod/db --type SecureString --value '{}' --overwrite",
        "    stats auth root:{}\n    stats refresh 10s",
        '# /etc/ppp/chap-secrets\n"svc_app" * "{}" *',
        "# /etc/postfix/sasl_passwd\n[smtp.example.org]:587 webmaster:{}",
        "    Key Content            : {}",
        'driver.find_element(By.ID, "password").send_keys("{}")',
        "cy.get('#password').type('{}')",
        '{{"selector":"#password","text":"{}"}}',
        'WiFi.begin("HomeNet", "{}");',
        'mysql_real_connect(c, "db.local", "root", "{}", "shop", 0, NULL, 0);',
        'curl_easy_setopt(h, CURLOPT_USERPWD, "joe:{}");',
        'ENV["MISTRAL_API_KEY"] ||= "{}"',
        'public string ApiKey {{ get; set; }} = "{}";',
        'var hmacSecret = []byte("{}")',
        "signingConfigs {{ release {{ storePassword '{}' }} }}",
        "UPDATE settings SET value='{}' WHERE name='smtp_password';",
        "<tr><td>Password</td><td>{}</td></tr>",
        "<p>Your initial password: <b>{}</b></p>",
        "<Password><Value>{}</Value></Password>",
        "name,value,updated\nSLACK_SIGNING_SECRET,{},2025-03-18",
        "| Service | Variable | Value |\n|---|---|---|\n| Auth0 | AUTH0_CLIENT_SECRET | {} |",
        "系统\t账号\t密码\n监控平台\tadmin\t{}",
        'array(3) {{\n  ["password"]=>\n  string(14) "{}"\n}}',
        "PASSWORD ........ {}",
        "> password: *{}* (quoted)",
        "the demo password is ``{}``",
        'expect "assword:"; send "{}\\r"',
        "next=%2Fcb%3Faccess_token%3D{}%26state%3D1",
        "$ pass show dune/db\n{}\nurl: db.example.org",
        "kubectl get secret regcred -o yaml\ndata:\n  .dockerconfigjson: {}eyJhdXRocyI6\ntype: opaque",
        '{{"type":"random_password","instances":[{{"attributes":{{"result":"{}","length":24}}}}]}}',
        '[{{"domain":".example.org","name":"session","path":"/","value":"{}aQ4Zt81K"}}]',
        "CREATE DATABASE LINK far CONNECT TO app IDENTIFIED BY \"{}\" USING 'orcl';",
        "cloud:\n  ak: ZHP044sl5jVq\n  sk: 9Q{}x7Kd2\n  region: cn-beijing",
        "微信支付 key={}8b505764e4e1a222 mch_id=1635564319",
        "smtp_auth_password: {}.dcK",
        "lftp -u reporter,{} -e 'mirror in out; bye' ftp.example.org",
        "ftp> open ftp.example.org\nftp> user ci2 {}\n230 Login successful.",
        "snmp-server user backup2 grp v3 auth sha {} priv aes 128 otherone",
        "snmp-server user backup2 grp v3 auth sha otherone priv aes 128 {}",
        "schtasks /create /tn backup /ru SYSTEM /rp {} /sc daily",
        "slmgr /ipk {}\nInstalled product key successfully",
        "vault operator unseal {}\nSealed          false",
        "qshell account tX09aB {} nimbus -w",
        "confluent api-key store WQ2K4 {} --resource lkc-fmnrr8",
        "obsutil config -i=26G5FTMB -k={} -e=obs.example.com",
        "wandb login {}\nwandb: Appending key for api.wandb.ai",
        "wandb.login(key='{}')",
        "visual_service.set_sk('{}')",
        "dbx = dropbox.Dropbox('{}')",
        "algoliasearch('BIUW3TSC8U', '{}').initIndex('urchin')",
        "oss2.StsAuth('STS.r8QeRoW9', '{}', 'otherone')",
        "oss2.StsAuth('STS.r8QeRoW9', 'otherone', '{}')",
        "CREATE SECRET s3 (TYPE S3, KEY_ID 'falcon', SECRET '{}', REGION 'us-east-1');",
        "$ wg genkey\n{}\n$ wg show",
        "kubectl get secret reporter -o jsonpath='{{.data.password}}'\n{}\n$ echo done",
        "<auth-user-pass>\nme\n{}\n</auth-user-pass>",
        "curl -sS --user app_prod:'{}' sftp://files.example.org/in/",
        "Authorization: Bearer {}，返回 200",
        "restic -r s3:backup --password-command 'echo {}' snapshots",
        "smtp.login(user, '{}')",
        "curl https://example.org/export -u 'f91a96d8112061e9{}:' -d from_date=2026-01-01",
        "高德地图 Web 服务 key：f91a96d8112061e9{}，日配额 5000",
    ],
)
def test_it_is_hidden(text):
    assert SECRET not in redact_text(text.format(SECRET))


def test_a_string_that_goes_on_in_the_next_line_is_hidden_whole():
    left, right = "a8Kd93jfLw02mZx7Qp", "Lq0Zk38sNv5Tb1Yw6R"
    for text in (
        f'token = ("{left}"\n         "{right}")',
        f'token = (\n    "{left}"\n    "{right}"\n)',
        f'API_TOKEN="{left}\\\n{right}"',
        f'String secretKey = "{left}" + "{right}";',
    ):
        shown = redact_text(text)
        assert left not in shown
        assert right not in shown


@each(
    "text",
    [
        "user worker on the night shift > 8 hours",
        "I AUTH the request and PASS it on",
        "page.type('#search', 'blue lamp')",
        "openssl enc -d -in a.enc -out a.tar",
        '["name"]=>\n  string(9) "Invoices1"',
        '<script nonce="NAYD8QzBCsMxMv8BigED4H">init()</script>',
    ],
)
def test_what_is_typed_and_no_secret_stays(text):
    assert redact_text(text) == text


def test_values_below_a_secret_name_lists_of_a_command_and_named_tuples_are_walked():
    from collections import namedtuple

    login = namedtuple("login", "user password")
    walked = Redactor().redact_value(
        {
            "token": {"x": {"y": SECRET, "kind": "bearer"}},
            "PassWord ": SECRET,
            "argv": ["mysql", "-u", "root", f"-p{SECRET}"],
            "login": login("joe", SECRET),
        }
    )
    assert SECRET not in str(walked)
    assert walked["token"]["x"]["kind"] == "bearer"
    assert walked["argv"][:3] == ["mysql", "-u", "root"]
    assert walked["login"]["user"] == "joe"
