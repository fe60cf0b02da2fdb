"""The server over standard input and output: what goes through its pipes, and how it ends."""

import signal
import time

import pytest

from nanobot_memory_plugins.core.testing import install_plugin

# A plugin that prints in every possible way, reads standard input, and starts a child that prints.
NOISY = """
    import os, subprocess, sys
    from nanobot_memory_plugins.core.hookspecs import hookimpl

    class Noise:
        name, description = "noise", "Make noise."
        parameters = {"type": "object", "properties": {}}

        async def run(self, arguments, *, session_key):
            print("printed")
            os.write(1, b"written\\n")
            sys.__stdout__.write("further\\n")
            subprocess.run(["echo", "of a child"], check=True)
            return "read: " + repr(sys.stdin.read()) if arguments.get("read") else "done"

    @hookimpl
    def contribute_tools():
        return Noise()
"""


@pytest.mark.slow
def test_nothing_but_the_protocol_is_on_standard_output(served, tmp_path, monkeypatch):
    (tmp_path / "site").mkdir()
    install_plugin(tmp_path / "site", monkeypatch, "noisy", NOISY)
    client = served.process(PYTHONPATH=str(tmp_path / "site"))
    client.hello()
    tools = {tool["name"]: tool for tool in client.ask("tools/list")["result"]["tools"]}
    assert tools["noise"]["annotations"]["destructiveHint"] is True
    assert client.call("noise")["content"][0]["text"] == "done"
    assert client.call("noise", read=True)["content"][0]["text"] == "read: ''"
    rest, errors, status = client.end()
    assert (rest, status) == (b"", 0)
    assert errors.count(b"printed") == errors.count(b"of a child") == 2


@pytest.mark.slow
def test_the_server_ends_with_its_client_and_when_it_is_told_to(served):
    client = served.process()
    client.hello()
    began = time.monotonic()
    assert client.end()[2] == 0
    assert time.monotonic() - began < 30
    client = served.process()
    client.hello()
    client.process.send_signal(signal.SIGTERM)
    assert client.end()[2] == 0


@pytest.mark.slow
def test_hello_is_answered_before_the_memory_is_open(served, tmp_path, monkeypatch):
    slow = """
        import time
        from nanobot_memory_plugins.core.hookspecs import hookimpl

        @hookimpl
        def on_start():
            time.sleep(3)
    """
    (tmp_path / "site").mkdir()
    install_plugin(tmp_path / "site", monkeypatch, "slow", slow)
    client = served.process(PYTHONPATH=str(tmp_path / "site"))
    client.hello()
    began = time.monotonic()
    assert client.ask("ping")["result"] == {}
    assert time.monotonic() - began < 1
    assert "remember" in {tool["name"] for tool in client.ask("tools/list")["result"]["tools"]}
    assert time.monotonic() - began > 1
    client.end()
