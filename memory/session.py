"""One conversation's memory: what the pipeline talks to. No Pipecat, no audio, no network.

::

    partial, speech_tail ──► Recaller (speculation, ladder) ──► recall()
    hear, said ──► indexes (at once) ──► journal, vectors, claims (writer thread, in order)
    hear ──► understander ──► inner state, claims ──► session store

Everything runs on one event loop. Three threads belong to a session: one embeds and understands, one
writes what was said, one saves the inner state.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from loguru import logger

from memory.calibration import Calibration
from memory.claim_keeper import ClaimKeeper
from memory.embedder import Embedder, Floats
from memory.entity_keeper import EntityKeeper
from memory.hearing import Heard, Hearing, Understands
from memory.index import tokenise
from memory.inner_state import InnerState, StateHistory
from memory.journal import Journal
from memory.loading import Loaded, load
from memory.nouns import Claim, RecallResult, Speaker, Utterance
from memory.past_turns import past_turns
from memory.recall import Recaller
from memory.search import Limits, Scope
from memory.sessions.base import SessionStore
from memory.state_events import StateEvent
from memory.state_keeper import StateKeeper
from memory.vectors import VectorFiller
from memory.write_queue import WriteQueue

__all__ = ["Heard", "MemorySession", "Understands"]

CLOSE_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class _Threads:
    """The session's own threads, so that a slow disk holds up no thought."""

    thinker: ThreadPoolExecutor
    writer: ThreadPoolExecutor
    state_writer: ThreadPoolExecutor

    @classmethod
    def start(cls) -> _Threads:
        return cls(
            ThreadPoolExecutor(1, thread_name_prefix="memory-thinker"),
            ThreadPoolExecutor(1, thread_name_prefix="memory-writer"),
            ThreadPoolExecutor(1, thread_name_prefix="state-writer"),
        )

    def end(self) -> None:
        for executor in (self.thinker, self.writer, self.state_writer):
            executor.shutdown(wait=False, cancel_futures=True)


class MemorySession:
    """Memory of one user in one conversation. Made by :meth:`open`; all methods belong to its event loop.

    Attributes:
        user_id: Whose memory.
        session_id: The conversation.
        language: What is spoken unless something else is heard, ISO 639-1.
        past_turns: What was said in this session before it was taken up again; empty for a new one.
    """

    def __init__(
        self,
        *,
        user_id: str,
        session_id: str,
        language: str,
        journal: Journal,
        sessions: SessionStore,
        embedder: Embedder,
        understander: Understands,
        calibration: Calibration,
        deadline_ms: float,
        limits: Limits,
        now: Callable[[], datetime],
        loaded: Loaded,
        threads: _Threads,
    ) -> None:
        self.user_id = user_id
        self.session_id = session_id
        self.language = language
        self.returning = len(loaded.index.rows) > 0
        self.past_turns = past_turns(loaded.index.rows.utterances(), session_id)
        self._journal = journal
        self._embedder = embedder
        self._threads = threads
        self._index = loaded.index
        self._writes = WriteQueue(threads.writer)
        # On its own, so that a session store that is gone holds up no word.
        self._state_writes = WriteQueue(threads.state_writer)
        self._claims = ClaimKeeper(journal, self._writes, user_id=user_id, claims=loaded.claims)
        self._entities = EntityKeeper(journal, self._writes, user_id=user_id, mentions=loaded.mentions)
        self._keeper = StateKeeper(
            sessions,
            self._state_writes,
            user_id=user_id,
            session_id=session_id,
            history=loaded.history,
            stored_version=loaded.stored_version,
        )
        self._recaller = Recaller(
            loaded.index, embedder.embed_query, calibration, threads.thinker, deadline_ms=deadline_ms, limits=limits
        )
        self._vectors = VectorFiller(
            loaded.index,
            embedder,
            threads.thinker,
            busy=lambda: self._recaller.busy,
            store=self._store_vectors,
        )
        self._vectors.add(loaded.index.without_vector())
        self._hearing = Hearing(
            understander, threads.thinker, now=now, state=self._keeper, claims=self._claims, entities=self._entities
        )
        self._closed = False

    @classmethod
    async def open(
        cls,
        *,
        user_id: str,
        session_id: str,
        language: str,
        journal: Journal,
        sessions: SessionStore,
        embedder: Embedder,
        understander: Understands,
        deadline_ms: float,
        token_budget: int,
        top_k: int,
        now: Callable[[], datetime],
        resume: bool = True,
        calibration: Calibration | None = None,
    ) -> MemorySession:
        """Load a user's memory and get ready to listen.

        Args:
            user_id: Whose memory.
            session_id: This conversation; one that was saved before is taken up where it was left.
            language: What is spoken unless something else is heard, ISO 639-1.
            journal: The ground truth.
            sessions: Where inner states live.
            embedder: Makes vectors; loaded here.
            understander: Reads words; loaded here.
            deadline_ms: Recall budget from the speech tail, milliseconds.
            token_budget: Tokens that recalled texts may take.
            top_k: Recalled items.
            now: The session's own time.
            resume: Whether a new session begins with the preferences and open tasks of the last one.
            calibration: Measurements of this embedder, if there are some already.

        Returns:
            An open session; utterances that lack a vector get one in the background.

        Raises:
            UserError: Memory cannot be read, or the embedder or understander cannot be loaded.
        """
        loop = asyncio.get_running_loop()
        threads = _Threads.start()

        def warm_up() -> Calibration:
            embedder.warm_up()
            understander.warm_up()
            return calibration or Calibration.measure(embedder)

        def read() -> Loaded:
            return load(journal, sessions, embedder, user_id=user_id, session_id=session_id, resume=resume)

        try:
            loaded, measured = await asyncio.gather(
                loop.run_in_executor(threads.writer, read), loop.run_in_executor(threads.thinker, warm_up)
            )
        except BaseException:
            threads.end()
            raise
        return cls(
            user_id=user_id,
            session_id=session_id,
            language=language,
            journal=journal,
            sessions=sessions,
            embedder=embedder,
            understander=understander,
            calibration=measured,
            deadline_ms=deadline_ms,
            limits=Limits(top_k, token_budget),
            now=now,
            loaded=loaded,
            threads=threads,
        )

    # --- while the user speaks

    def partial(self, stable: str, unstable: str = "") -> None:
        """Words so far. Starts embedding them in the background; stores nothing and counts nothing.

        After the speech tail, the final transcript may be passed as ``stable``: it is embedded without a pause.

        Args:
            stable: Words that will not change.
            unstable: Words that may.
        """
        self._recaller.partial(tokenise.join(stable, unstable))

    def speech_tail(self, text: str) -> None:
        """The user paused: the recall budget starts now, and ``text`` is embedded at once."""
        self._recaller.tail(text)

    async def recall(self, text: str, turn_id: int) -> RecallResult:
        """What memory has for the user's final words, by the deadline. Never raises.

        Args:
            text: The final words of the turn.
            turn_id: The turn; what is said in it is not evidence for it.
        """
        return await self._recaller.recall(text, Scope(self.session_id, turn_id, self._claims.outdated))

    # --- what was said

    async def hear(
        self, text: str, *, turn_id: int, said_at: float, language: str | None = None, whole: str | None = None
    ) -> Heard:
        """Remember what the user said, understand it, and let it change the inner state.

        The words can be recalled from the next turn on; they survive a cancelled caller. Returns before they are
        on disk (see :meth:`flush`).

        Args:
            text: The final words.
            turn_id: Number of the turn.
            said_at: When they began, seconds since the epoch.
            language: ISO 639-1; None = by the script and the session.
            whole: All words of a turn that had seemed to be over and goes on with ``text``: understood as one.
        """
        utterance = self._utterance(Speaker.USER, text, turn_id=turn_id, said_at=said_at, language=language)
        if text.strip():
            self._remember(utterance)
        return await self._hearing.hear(utterance, language, whole)

    def said(self, *, turn_id: int, heard: str, unheard: str, said_at: float, language: str | None = None) -> None:
        """Remember what the agent said. Only what was heard counts; nothing heard, nothing remembered.

        Args:
            turn_id: Number of the turn.
            heard: The words that reached the user.
            unheard: The words that were generated and did not.
            said_at: When the reply began to sound, seconds since the epoch.
            language: ISO 639-1; None = by the script and the session.
        """
        if not heard.strip():
            return
        utterance = self._utterance(Speaker.AGENT, heard, turn_id=turn_id, said_at=said_at, language=language)
        self._remember(replace(utterance, unheard=unheard))

    def apply(self, events: Sequence[StateEvent], *, turn_id: int) -> InnerState:
        """Let tools or the model change the inner state; saved in the background.

        Returns:
            The state after the events.
        """
        return self._keeper.apply(events, turn_id)

    # --- what is known

    @property
    def state(self) -> InnerState:
        """The inner state now."""
        return self._keeper.current

    @property
    def history(self) -> StateHistory:
        """The inner state and its earlier versions."""
        return self._keeper.history

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All claims, those that no longer hold too."""
        return self._claims.current

    @property
    def names(self) -> tuple[str, ...]:
        """Names of people, places, organisations and things that the user mentioned, the likeliest next first."""
        return self._entities.names

    @property
    def write_error(self) -> str | None:
        """Why memory cannot be written at the moment; None while it can."""
        return self._writes.error or self._state_writes.error

    # --- the end

    async def flush(self) -> bool:
        """Wait until all that was heard, said and changed is durable.

        Returns:
            False if it could not be written; ``write_error`` says why.
        """
        await self._hearing.idle()
        await self._vectors.idle()
        durable = await asyncio.gather(self._writes.flush(), self._state_writes.flush())
        return all(durable)

    async def close(self) -> None:
        """Write what is left and end the threads. An embedder, disk or store that hangs delays this by 10 s each."""
        if self._closed:
            return
        self._closed = True
        self._recaller.close()
        await _within(CLOSE_TIMEOUT_S, self.flush())
        await self._vectors.close()
        for writes, culprit in ((self._writes, "the disk hangs"), (self._state_writes, "the session store hangs")):
            await _within(CLOSE_TIMEOUT_S, writes.flush())
            writes.close()
            if len(writes):
                logger.error("{} writes to memory are lost: {}", len(writes), writes.error or culprit)
        self._threads.end()

    def _utterance(
        self, speaker: Speaker, text: str, *, turn_id: int, said_at: float, language: str | None
    ) -> Utterance:
        return Utterance(
            id=uuid.uuid4().hex,
            user_id=self.user_id,
            session_id=self.session_id,
            turn_id=turn_id,
            speaker=speaker,
            text=text,
            said_at=said_at,
            language=language or ("zh" if tokenise.holds_han(text) else self.language),
        )

    def _remember(self, utterance: Utterance) -> None:
        """Make an utterance findable now and durable soon."""
        self._index.add(utterance)

        async def write() -> None:
            await self._writes.run(lambda: self._journal.append(utterance))

        self._writes.put(write)
        self._vectors.add([utterance])

    def _store_vectors(self, vectors: dict[str, Floats]) -> None:
        async def write() -> None:
            await self._writes.run(lambda: self._journal.store_vectors(self.user_id, self._embedder.name, vectors))

        self._writes.put(write)


async def _within(seconds: float, work: Coroutine[Any, Any, object]) -> None:
    try:
        await asyncio.wait_for(work, seconds)
    except TimeoutError:
        logger.error("memory was still busy when the session ended")
