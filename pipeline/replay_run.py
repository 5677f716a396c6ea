"""Plays recordings or a scenario through the pipeline and leaves an output folder."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import soxr

from memory.errors import UserError
from memory.tools.spec import Tool
from pipeline.audio_file import read_blocks
from pipeline.cancelled import was_cancelled
from pipeline.clock import ConversationClock
from pipeline.conversation import INPUT_RATE, Conversation
from pipeline.conversation_models import ConversationModels
from pipeline.loop_probe import LoopProbe
from pipeline.memory_stores import MemoryStores, open_memory
from pipeline.output_folder import OutputFolder
from pipeline.player import Cue, Player, Samples
from pipeline.scenario import Scenario
from pipeline.session_choice import choose_session, new_session_id
from pipeline.settings import Settings
from pipeline.speech.voice import Voice
from pipeline.transports.replay import ReplayTransport
from processors.turn_record import TurnRecord
from processors.turn_tracker import ClosedSink, Sink


@dataclass(frozen=True)
class SessionPlan:
    """One session to play.

    Attributes:
        cues: What the user says, in order.
        clock: The session's own local time at its start; None for now.
        is_new: Whether it never goes on with the one before.
    """

    cues: list[Cue]
    clock: datetime | None = None
    is_new: bool = False


@dataclass
class ReplaySinks:
    """Who is told what while it happens."""

    on_event: list[Sink] = field(default_factory=list)
    on_closed: list[ClosedSink] = field(default_factory=list)
    on_listening: Callable[[], None] = lambda: None
    on_position: Callable[[float], None] = lambda seconds: None


@dataclass
class ReplaySummary:
    """What came of a replay.

    Attributes:
        turns: Every turn, in order.
        seconds: Length of the recording.
        loop_lag_p99_ms: Lateness of the event loop, 99th percentile; 0 in lock-step.
        problems: What was lost, a line each.
    """

    turns: list[TurnRecord] = field(default_factory=list)
    seconds: float = 0.0
    loop_lag_p99_ms: float = 0.0
    problems: list[str] = field(default_factory=list)


def plan_files(paths: Sequence[Path], on_loss: Callable[[str], None]) -> list[SessionPlan]:
    """One session in which each file is said after the reply to the one before.

    Args:
        paths: Recordings.
        on_loss: Told when a part of one is missing.
    """
    return [SessionPlan([Cue(path.name, blocks=partial(read_blocks, path, INPUT_RATE, on_loss)) for path in paths])]


def plan_scenario(scenario: Scenario, user_voice: Voice | None, on_loss: Callable[[str], None]) -> list[SessionPlan]:
    """Cut a scenario into its sessions.

    Args:
        scenario: What to play.
        user_voice: Speaks the ``say`` turns; None to let them enter as words.
        on_loss: Told when a part of a recording is missing.
    """
    plans = [SessionPlan([], scenario.clock)]
    for turn in scenario.turns:
        if turn.new_session is not None:
            # At a time of its own it may go on with the one before; without, it is as new as it is called.
            plans.append(SessionPlan([], turn.new_session.clock, is_new=turn.new_session.clock is None))
        into_reply = turn.when.into_reply if turn.when else None
        if turn.audio is not None:
            blocks = partial(read_blocks, turn.audio, INPUT_RATE, on_loss)
            cue = Cue(turn.audio.name, blocks=blocks, into_reply=into_reply)
        elif user_voice is None:
            cue = Cue(str(turn.say), words=turn.say, into_reply=into_reply)
        else:
            speak = partial(speak_blocks, user_voice, str(turn.say))
            cue = Cue(str(turn.say), blocks=speak, into_reply=into_reply)
        plans[-1].cues.append(cue)
    return [plan for plan in plans if plan.cues]


def speak_blocks(voice: Voice, text: str) -> Iterator[Samples]:
    """Speak a text with the test voice at the input rate; blocking."""
    for chunk in voice.synthesize(text):
        yield soxr.resample(chunk.audio, voice.sample_rate, INPUT_RATE).astype(np.int16)


async def replay(
    settings: Settings,
    models: ConversationModels,
    stores: MemoryStores,
    plans: Sequence[SessionPlan],
    folder: OutputFolder,
    sinks: ReplaySinks,
    tools: Sequence[Tool] = (),
) -> ReplaySummary:
    """Play all sessions into one folder, on the running loop's time.

    Args:
        settings: The configuration.
        models: Loaded models.
        stores: Where memory lives.
        plans: The sessions.
        folder: Gets the log and the recording; closed by the caller.
        sinks: Told what happens.
        tools: What the agent can do.

    Returns:
        What came of it; also when the task was cancelled, as far as it got.
    """
    summary = ReplaySummary()
    probe = LoopProbe()
    probe.start()
    try:
        for plan in plans:
            await _play_session(settings, models, stores, plan, folder, sinks, summary, tools)
            if was_cancelled():
                break
    finally:
        await probe.stop()
        summary.seconds = folder.recording.seconds
        summary.loop_lag_p99_ms = probe.percentile(0.99)
    return summary


async def _play_session(
    settings: Settings,
    models: ConversationModels,
    stores: MemoryStores,
    plan: SessionPlan,
    folder: OutputFolder,
    sinks: ReplaySinks,
    summary: ReplaySummary,
    tools: Sequence[Tool],
) -> None:
    clock = ConversationClock(plan.clock, offset=folder.recording.seconds)
    session_id = new_session_id() if plan.is_new else choose_session(stores, settings, clock.now().timestamp())
    memory = await open_memory(settings, models, stores, session_id, clock)
    writer = _Writer(folder)
    conversation = Conversation(
        settings,
        models,
        memory,
        clock,
        session_id=session_id,
        tools=tools,
        on_event=sinks.on_event,
        on_closed=[summary.turns.append, writer.turn, *sinks.on_closed],
    )
    writer.conversation = conversation

    def on_user_block(samples: Samples) -> None:
        writer.user(samples)
        sinks.on_position(folder.recording.seconds)

    transport = ReplayTransport(sample_rate=INPUT_RATE, clock=clock, on_user_block=on_user_block, listener=writer)
    player = Player(
        plan.cues, transport.user, conversation.tracker, user_id=settings.agent.user, sample_rate=INPUT_RATE
    )
    try:
        await player.prepare()
    except BaseException:
        await memory.close()
        raise
    running = asyncio.ensure_future(conversation.run(transport))
    playing = asyncio.ensure_future(player.play())
    transport.user.on_start = sinks.on_listening
    failing = asyncio.ensure_future(writer.failed.wait())
    try:
        await asyncio.wait({running, playing, failing}, return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            await conversation.stop()
    except asyncio.CancelledError:
        running.cancel()
    finally:
        playing.cancel()
        failing.cancel()
        results: list[Any] = await asyncio.gather(playing, running, return_exceptions=True)
        await memory.close()
        if memory.write_error is not None:
            summary.problems.append(f"memory is not written: {memory.write_error}")
    for problem in (writer.error, *results):
        if isinstance(problem, Exception):
            raise problem


class _Writer:
    """Writes what happens into the folder; the first failure (a full disk) ends the replay, not the frame path.

    What else is said until the end is still tried: a turn is smaller than a second of sound.
    """

    def __init__(self, folder: OutputFolder) -> None:
        self._folder = folder
        self.conversation: Conversation | None = None
        self.error: UserError | None = None
        self.failed = asyncio.Event()

    def turn(self, turn: TurnRecord) -> None:
        self._try(partial(self._folder.log.write, turn))

    def user(self, samples: Samples) -> None:
        self._try(partial(self._folder.recording.user, samples))

    def agent_audio(self, samples: Samples, sample_rate: int, at: float) -> None:
        self._try(partial(self._folder.recording.agent, samples, at))
        if self.conversation is not None:
            self.conversation.agent_audio(samples, sample_rate, at)

    def _try(self, write: Callable[[], None]) -> None:
        try:
            write()
        except UserError as error:
            self.error = self.error or error
            self.failed.set()
