"""Secrets in columns that blanks set apart, in tables of HTML, and in what databases answer as JSON."""

import json

import pytest

from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.redaction import redact_value
from tests.support.each import each

SECRET = "Tundra$77wV"
TABLES = {
    "kubectl": "NAME    USER   PASSWORD      AGE\ndb-1    bob    {}   4d\ndb-2    al     {}   4d",
    "mysql": "USER  PASSWORD\nbob  {}\n",
    "az": "Name     Password\n-------  -----------\nbob      {}",
    "docker": "CONTAINER ID   IMAGE     DB_PASSWORD\n0f3c9a1e77aa   redis:7   {}",
    "capitals": "USER PASSWORD HOST\nbob {} db1",
    "one column": "PASSWORD\n--------\n{}\n",
    "an empty cell": "NAME   OWNER   PASSWORD\ndb-1           {}",
    "Chinese": "用户    密码\n张三    {}",
    "HTML": "<table><tr><th>User</th><th>Password</th></tr><tr><td>bob</td><td><code>{}</code></td></tr></table>",
    "HTML, head beside": "<tr><th>Password</th><td>{}</td></tr>",
    "HTML, without heads": "<tr><td>User</td><td>Password</td></tr>\n<tr><td>bob</td><td>{}</td></tr>",
    "columns and rows": '{{"columns": ["user", "password"], "rows": [["bob", "{}"], ["al", "{}"]]}}',
    "fields and data": '{{"data": [["bob", "{}"]], "fields": [{{"name": "user"}}, {{"name": "password"}}]}}',
    "lists": '[["user", "password"], ["bob", "{}"]]',
}
PLAIN = [
    "NAME     READY   STATUS    RESTARTS   AGE\nsecret-operator-0   1/1   Running   0   4d",
    "NAME            TYPE     DATA   AGE\ndefault-token   Opaque   3      12d",
    "Name     Password required   Age\n----     -----------------   ---\nbob      yes                 4",
    "Token   Count\nfoo     12\nbar     7",
    "<tr><th>Key</th><th>Meaning</th></tr><tr><td>Ctrl+C</td><td>copy</td></tr>",
    '{"columns": ["user", "password_set"], "rows": [["bob", true]]}',
]


@each("kind", TABLES)
def test_what_stands_below_a_telling_head_is_hidden_and_the_rest_is_kept(kind):
    text = TABLES[kind].format(SECRET, SECRET)
    assert redact_text(text) == TABLES[kind].format("[REDACTED]", "[REDACTED]")


@each("text", PLAIN)
def test_a_table_without_secrets_stays_as_it_is(text):
    assert redact_text(text) == text


@pytest.mark.parametrize("kind", ["columns and rows", "fields and data", "lists"])
def test_what_a_database_answers_is_hidden_as_a_value_too(kind):
    value = json.loads(TABLES[kind].format("sunflower", "daffodil"))
    shown = json.dumps(redact_value(value))
    assert "sunflower" not in shown
    assert "daffodil" not in shown
    assert "bob" in shown
