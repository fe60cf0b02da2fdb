"""The server as a process of its own: what goes through its pipes, and how it ends."""

import contextlib
import itertools
import os
import signal
import threading
import time

import pytest

from nanobot_memory_plugins.core.testing import install_plugin

# A plugin that prints in every way there is, reads what is meant for the server, and starts a child that prints.
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


@pytest.mark.slow
def test_what_was_answered_outlives_a_kill_in_the_middle(served):
    client, kept = served.process(), []
    client.hello()
    client.ask("tools/list")
    killer = threading.Timer(0.2, lambda: os.kill(client.process.pid, signal.SIGKILL))
    with contextlib.suppress(EOFError, BrokenPipeError, ValueError):
        for n in itertools.count():
            text = f"Crate {n} of the user holds {n * 7} lamps"
            if "Kept in" in client.call("remember", text=text)["content"][0]["text"]:
                kept.append(text)
            if n == 0:
                killer.start()  # however long a busy machine takes for the first
    client.kill()
    assert kept
    stored = served.stored()
    assert [text for text in kept if text not in stored] == []
    again = served.process()
    again.hello()
    for text in (kept[0], kept[-1]):
        assert text in again.call("memory_search", query=text)["content"][0]["text"]
    again.end()
