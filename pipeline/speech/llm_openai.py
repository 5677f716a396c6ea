"""The language model behind any OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from loguru import logger
from openai import APIStatusError, AsyncOpenAI, AsyncStream, DefaultAsyncHttpxClient, Timeout
from openai.types.chat import ChatCompletionChunk
from pipecat.adapters.llm.services.open_ai_adapter import OpenAILLMInvocationParams
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.services.openai.llm import OpenAILLMService
from pipecat.utils.http import connection_limits

from memory.answer_schema import answer_schema, update_again, update_schema
from memory.prompt import user_words
from memory.reply import reply_language
from pipeline.settings import LLMSettings
from pipeline.speech.apologies import apology
from pipeline.speech.dialect import Dialect
from pipeline.speech.llm_failure import Endpoint, LLMFailure, server_message
from pipeline.speech.llm_stream import WatchedStream
from pipeline.speech.sound_text import mend_text
from pipeline.speech.thoughts import ThoughtFilter
from pipeline.speech.tool_calling import ToolCallingService
from pipeline.virtual_time import Patience
from processors.frames import SpeechFailedFrame

CONNECT_TIMEOUT_S = 5.0
# A request is put in another dialect at most this often, within the time for the first token.
MAX_DIALECTS = 6
# Room for the state update behind a reply of ``llm.max_tokens``.
UPDATE_TOKENS = 400
# How much of a malformed answer the model is shown again, characters.
MAX_REPEATED = 2000


def endpoint_of(settings: LLMSettings) -> Endpoint:
    """The endpoint of the settings, as it may be shown."""
    key = settings.api_key.get_secret_value() if settings.api_key is not None else ""
    return Endpoint(settings.base_url or "", settings.model, settings.timeout_s, (key, *settings.headers.values()))


def make_client(settings: LLMSettings) -> AsyncOpenAI:
    """A client for the endpoint of the settings: no retries, a short time to connect."""
    key = settings.api_key.get_secret_value() if settings.api_key is not None else ""
    timeout = Timeout(settings.timeout_s + 1.0, connect=min(CONNECT_TIMEOUT_S, settings.timeout_s))
    return AsyncOpenAI(
        # Local servers want no key, but the client wants one.
        api_key=key or "none",
        base_url=settings.base_url,
        default_headers=settings.headers,
        timeout=timeout,
        max_retries=0,
        # An open connection saves the handshake of the next turn.
        http_client=DefaultAsyncHttpxClient(
            timeout=timeout,
            limits=connection_limits(keepalive_expiry=None),
            event_hooks={"response": [mend_text]},
        ),
    )


class CompatibleLLMService(ToolCallingService, OpenAILLMService):
    """Streams replies from an OpenAI-compatible endpoint, and survives whatever it does.

    When the endpoint fails the agent apologises in the user's language (unless a part of the answer has been
    said), ``SpeechFailedFrame(part="llm")`` says why, and the next turn tries again: no error is pushed, so
    Pipecat never takes the service out of use.
    """

    def __init__(self, settings: LLMSettings, *, language: str, **kwargs: Any) -> None:
        """Make the service.

        Args:
            settings: With ``base_url``.
            language: Language of the apologies where the user's words do not tell.
            **kwargs: Passed on to Pipecat's service.
        """
        self._llm = settings
        self._endpoint = endpoint_of(settings)
        self._as_json = settings.reply_format == "json"
        self._dialect = Dialect.of(
            self._endpoint.base_url, developer_role=settings.developer_role, as_json=self._as_json
        )
        self._language = language
        self._thoughts = ThoughtFilter()
        self._has_spoken = False
        self._watched: WatchedStream | None = None
        self._context = LLMContext()
        super().__init__(settings=self.Settings(model=settings.model), **kwargs)

    def create_client(self, *args: Any, **kwargs: Any) -> AsyncOpenAI:
        """The client; called by Pipecat's constructor."""
        return make_client(self._llm)

    async def get_chat_completions(self, context: LLMContext) -> Any:
        """Ask for a reply.

        Args:
            context: The prompt; a system message in front becomes the request's system instruction.

        Returns:
            The chunks, under watch.

        Raises:
            LLMFailure: The endpoint gave no answer in time, or an error.
        """
        deadline = asyncio.get_running_loop().time() + self._llm.timeout_s
        patience = Patience(self._llm.timeout_s)
        params = self.build_chat_completion_params(await self._invocation(context))
        json_format = self._dialect.json_format
        for attempt in range(MAX_DIALECTS):
            request = self._request(params)
            try:
                stream = await self._open(request, deadline, patience)
            except APIStatusError as error:
                refused = error.status_code in (400, 422) and attempt < MAX_DIALECTS - 1
                if refused and self._dialect.learn(server_message(error)):
                    continue
                # The format was not to blame.
                self._dialect.json_format = json_format
                raise self._endpoint.failure_of(error, answering=False) from None
            except Exception as error:
                raise self._endpoint.failure_of(error, answering=False) from None
            self._watched = WatchedStream(stream, self._endpoint, deadline, patience)
            return self._watched
        raise AssertionError("the last attempt returns or raises")

    def ask_update(self, answer: str, language: str) -> Callable[[], Coroutine[Any, Any, str]]:
        """Get ready to ask for the state update to the last answer alone (see ``processors.update_retry``).

        Args:
            answer: The last answer, as far as it came.
            language: ISO 639-1 code of the turn.

        Returns:
            Asks, and gives what the model wrote; raises ``LLMFailure``.
        """
        said = answer[:MAX_REPEATED].strip() or "…"
        messages: list[Any] = [
            *self._context.get_messages(),
            {"role": "assistant", "content": said},
            {"role": "user", "content": update_again(language)},
        ]
        return partial(self._whole_answer, LLMContext(messages=messages))

    async def _whole_answer(self, context: LLMContext) -> str:
        deadline = asyncio.get_running_loop().time() + self._llm.timeout_s
        patience = Patience(self._llm.timeout_s)
        params = self.build_chat_completion_params(await self._invocation(context))
        request = self._dialect.request(
            params, max_tokens=UPDATE_TOKENS, temperature=self._llm.temperature, schema=update_schema()
        )
        thoughts = ThoughtFilter()
        pieces: list[str] = []
        try:
            stream = await self._open(request, deadline, patience)
            async with stream:
                async for chunk in WatchedStream(stream, self._endpoint, deadline, patience):
                    delta = chunk.choices[0].delta if chunk.choices else None
                    pieces.append(thoughts.feed(delta.content or "") if delta is not None else "")
        except Exception as error:
            raise self._endpoint.failure_of(error, answering=True) from None
        return "".join([*pieces, thoughts.end()])

    def _request(self, params: dict[str, Any]) -> dict[str, Any]:
        return self._dialect.request(
            params,
            max_tokens=self._llm.max_tokens + (UPDATE_TOKENS if self._as_json else 0),
            temperature=self._llm.temperature,
            schema=answer_schema() if self._as_json else None,
        )

    async def _open(
        self, request: dict[str, Any], deadline: float, patience: Patience
    ) -> AsyncStream[ChatCompletionChunk]:
        with patience.hold():
            async with asyncio.timeout_at(deadline):
                stream: AsyncStream[ChatCompletionChunk] = await self._client.chat.completions.create(**request)
                return stream

    async def _invocation(self, context: LLMContext) -> OpenAILLMInvocationParams:
        messages = context.get_messages()
        instruction = None
        if messages and isinstance(messages[0], dict) and messages[0].get("role") == "system":
            instruction = str(messages[0].get("content", ""))
            messages = messages[1:]
        return await self.get_llm_adapter().get_llm_invocation_params(
            LLMContext(messages=list(messages), tools=context.tools, tool_choice=context.tool_choice),
            system_instruction=instruction,
            convert_developer_to_user=not self._dialect.developer_role,
        )

    async def _process_context(self, context: LLMContext) -> None:
        self._thoughts = ThoughtFilter()
        self._has_spoken = False
        self._watched = None
        self._context = context
        try:
            await super()._process_context(context)
            await self._speak(self._thoughts.end())
            if not self._has_spoken and not self.has_called:
                raise self._endpoint.failure("empty")
        except Exception as error:
            # The boundary to a server that may do anything: the turn degrades, the conversation goes on.
            await self._degrade(self._endpoint.failure_of(error, answering=True), context)

    async def _push_llm_text(self, text: str) -> None:
        await self._speak(self._thoughts.feed(text))

    async def _speak(self, text: str) -> None:
        if text:
            self._has_spoken = True
            # Half surrogates, which no file takes, become question marks.
            await super()._push_llm_text(text.encode("utf-8", "replace").decode())

    async def _degrade(self, failure: LLMFailure, context: LLMContext) -> None:
        logger.warning(failure.detail)
        await self.push_frame(SpeechFailedFrame(part="llm", reason=failure.reason, detail=failure.detail))
        if not self._has_spoken:
            await self._speak(apology(spoken_language(context, self._language), failure.reason))


def spoken_language(context: LLMContext, default: str) -> str:
    """The language of the user's last words in a context, ``en`` or ``zh``."""
    for message in reversed(context.get_messages()):
        if isinstance(message, dict) and message.get("role") == "user":
            content = message.get("content")
            return reply_language(user_words(content), default) if isinstance(content, str) else default
    return default
