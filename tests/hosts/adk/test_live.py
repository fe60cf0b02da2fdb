"""A live run of Google's Agent Development Kit, in which the user goes on typing and speaking: what is kept of it."""

import asyncio
from contextlib import asynccontextmanager, suppress

from tests.support.hosts import needs, unfenced

needs("adk", "google.adk")

from google.adk.agents import LiveRequestQueue, LlmAgent, RunConfig  # noqa: E402
from google.adk.apps import App  # noqa: E402
from google.adk.models import BaseLlm, LlmResponse  # noqa: E402
from google.adk.models.base_llm_connection import BaseLlmConnection  # noqa: E402
from google.adk.runners import Runner  # noqa: E402
from google.adk.sessions import InMemorySessionService  # noqa: E402
from google.genai import types  # noqa: E402
from pydantic import Field  # noqa: E402
from websockets.exceptions import ConnectionClosedOK  # noqa: E402

from nanobot_memory_plugins.hosts.adk import MemoryPlugin  # noqa: E402

APP = "shop"


def content(text: str, role: str = "user") -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


class Connection(BaseLlmConnection):
    """A live model: it calls a tool where it is told to deploy, and hears a voice where it is sent one."""

    def __init__(self, sent: list) -> None:
        self.sent = sent
        self.answers: asyncio.Queue = asyncio.Queue()

    async def send_history(self, history):
        self.sent += history

    async def send_content(self, content):
        self.sent.append(content)
        text = content.parts[0].text or ""
        if "Deploy" in text:
            call = types.Part(function_call=types.FunctionCall(id="1", name="deploy", args={"to": "staging"}))
            self.answers.put_nowait(LlmResponse(content=types.Content(role="model", parts=[call])))
        else:
            self.answer(f"Understood: {text or 'deployed'}")

    async def send_realtime(self, blob):
        heard = types.Transcription(text="My boat is called Wanda.", finished=True)
        self.answers.put_nowait(LlmResponse(input_transcription=heard))
        spoken = types.Transcription(text="A fine name.", finished=True)
        self.answers.put_nowait(LlmResponse(output_transcription=spoken))
        self.answers.put_nowait(LlmResponse(turn_complete=True))

    def answer(self, text: str) -> None:
        self.answers.put_nowait(LlmResponse(content=content(text, "model")))
        self.answers.put_nowait(LlmResponse(turn_complete=True))

    async def receive(self):
        while (answer := await self.answers.get()) is not None:
            yield answer
            if answer.turn_complete:
                return
        raise ConnectionClosedOK(None, None)

    async def close(self):
        self.answers.put_nowait(None)


class LiveModel(BaseLlm):
    """Connects to the scripted one."""

    sent: list = Field(default_factory=list)

    async def generate_content_async(self, llm_request, stream=False):
        raise AssertionError("a live run asks for no content")
        yield

    @asynccontextmanager
    async def connect(self, llm_request):
        yield Connection(self.sent)


def deploy(to: str) -> dict:
    """Deploy."""
    return {"result": f"deployed build 77 to {to}"}


async def test_what_is_typed_and_spoken_in_a_live_run_is_kept_once_and_its_tools_are_noted(wired):
    plugin, sessions, model = MemoryPlugin(wired.service()), InMemorySessionService(), LiveModel(model="live")
    app = App(name=APP, root_agent=LlmAgent(name="assistant", model=model, tools=[deploy]), plugins=[plugin])
    runner, queue = Runner(app=app, session_service=sessions), LiveRequestQueue()
    await sessions.create_session(app_name=APP, user_id="ana", session_id="s")
    steps = iter(
        [
            lambda: queue.send_content(content("Deploy to staging.")),
            lambda: queue.send_realtime(types.Blob(data=b"0", mime_type="audio/pcm")),
            queue.close,
        ]
    )
    queue.send_content(content("My dog is called Rex."))
    configuration = RunConfig(response_modalities=["TEXT"])
    run = runner.run_live(user_id="ana", session_id="s", live_request_queue=queue, run_config=configuration)
    async with asyncio.timeout(60):
        with suppress(ConnectionClosedOK):  # an older kit ends so
            async for event in run:
                if event.turn_complete:
                    next(steps)()

    async def read(host):
        await host.flush_index()
        return [(one["role"], one["content"]) for one in host.history(f"adk:{APP}:ana:s")]

    assert plugin.memory.call(read, limit=20).now() == [
        ("user", "My dog is called Rex."),
        ("assistant", "Understood: My dog is called Rex."),
        ("user", "Deploy to staging."),
        ("assistant", "Understood: deployed"),
        ("user", "My boat is called Wanda."),
        ("assistant", "A fine name."),
    ]
    assert "build 77" in wired.notes()
    assert unfenced(model.sent)
