"""Runs the tools of one conversation: one at a time or several at once, each within its time, risky ones after a yes.

    model or planner ── call ──► arguments fit? ── risky? ── yes ──► waits: the state asks, a later turn's yes runs it
                                                      └──── no ────► runs in a task of its own
    result ──► state (steps, facts, options) ──► the turn's record, and the model if its turn still waits

A call is never cut by an interruption: its result goes into the state, and into the next prompt, but nobody speaks it
into the user's words. The agent takes a call back only when the user drops the task, and never a risky one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loguru import logger

from memory.session import MemorySession
from memory.state_events import (
    CallsAsked,
    CallsAwaited,
    CallsSettled,
    StateEvent,
    TaskStarted,
    TaskStatusChanged,
)
from memory.state_model import FINISHED, clean
from memory.state_tools import MAX_AWAITED, AwaitedCall
from memory.tools import wording
from memory.tools.arguments import WrongArguments, check_arguments, same_call
from memory.tools.consent import read_consent
from memory.tools.events import ended
from memory.tools.filling import revise
from memory.tools.names import phrase_of
from memory.tools.outcome import Outcome, read_result
from memory.tools.spec import Tool, ToolError, ToolSpec
from processors import tool_words
from processors.confirmation import Confirmation
from processors.reply_guard import ReplyGuard
from processors.tool_record import CallRecord, Status
from processors.turn_record import ToolCall, TurnRecord
from processors.turn_tracker import TurnTracker

# More calls than this in one turn are a model that runs in circles.
MAX_CALLS = 8


@dataclass(frozen=True)
class ToolLimits:
    """How long tools are waited for.

    Attributes:
        timeout_s: Longest wait for a result, seconds.
        moment_s: After this wait the agent says "one moment", seconds.
    """

    timeout_s: float = 8.0
    moment_s: float = 0.8


class ToolRunner:
    """The tools of one conversation. Belongs to its event loop."""

    def __init__(
        self,
        tools: Sequence[Tool],
        *,
        memory: MemorySession,
        tracker: TurnTracker,
        clock: Callable[[], float],
        limits: ToolLimits | None = None,
    ) -> None:
        """Get ready; nothing runs yet.

        Args:
            tools: With unique names.
            memory: Whose state changes.
            tracker: Knows the turn.
            clock: The conversation's clock, seconds.
            limits: How long tools are waited for.
        """
        self._tools = {tool.spec.name: tool for tool in tools}
        self._memory = memory
        self._tracker = tracker
        self._clock = clock
        self._limits = limits or ToolLimits()
        self._calls: list[CallRecord] = []
        self._calls_of: TurnRecord | None = None
        self._logged: dict[int, tuple[TurnRecord, ToolCall]] = {}
        self._running: dict[asyncio.Task[None], CallRecord] = {}
        self._late: list[ToolCall] = []
        self._latest: dict[str, tuple[int, str]] = {}
        self._confirmation = Confirmation()
        self._waited: tuple[AwaitedCall, ...] = ()
        self._number = 0
        self._has_acted = False
        self._say: Callable[[str], Awaitable[None]] | None = None

    # What there is

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """What can be called."""
        return tuple(tool.spec for tool in self._tools.values())

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """The calls of the open turn that have come to something, in order."""
        if self._calls_of is not self._tracker.turn:
            return ()
        return tuple(call for call in self._calls if call.status != "running")

    def speak_with(self, say: Callable[[str], Awaitable[None]]) -> None:
        """Set what says "one moment"."""
        self._say = say

    # The turn

    async def turn_begins(self, turn: TurnRecord) -> None:
        """The user's words were understood: a yes or no to what waits is acted on before anybody is asked to reply.

        Args:
            turn: The open turn. Called again when the user went on.
        """
        self._take(turn)
        state = self._memory.state
        awaiting = state.bookkeeping.awaiting
        self._take_back(turn)
        if not awaiting:
            if state.status == "cancelled":
                for call in self._waited:
                    self._drop(turn, call)
            self._waited = ()
            return
        consent, closed = read_consent(turn.user_text), self._tracker.closed_turns
        stale = any(call.stale for call in awaiting)
        refused = consent.answer == "no" and self._confirmation.counts(consent, closed)
        if refused and (consent.explicit or not stale):
            self._apply(turn, [CallsSettled(), TaskStatusChanged("cancelled")])
            for call in awaiting:
                self._drop(turn, call)
        elif stale:
            self._ask_anew(turn, awaiting, dict(state.facts))
        elif consent.answer == "yes" and all(call.asked for call in awaiting):
            if not self._confirmation.counts(consent, closed):
                # Something else was asked since: the question is put once more.
                self._apply(turn, [CallsAwaited(awaiting)])
                return
            self._apply(turn, [CallsSettled(), TaskStatusChanged("in_progress")])
            records = [self._start(turn, call.tool, call.arguments) for call in awaiting]
            await self._wait(turn, records)

    def turn_closed(self, turn: TurnRecord) -> None:
        """Take note of whether the user has heard the question.

        Args:
            turn: Has just closed; its record may still be changed.
        """
        self._waited = self._memory.state.bookkeeping.awaiting
        if self._confirmation.turn_closed(turn, self._waited):
            self._apply(turn, [CallsAsked()])

    def guard(self) -> ReplyGuard | None:
        """What keeps the reply that begins now from claiming what was not done; None where nothing can be claimed."""
        turn = self._tracker.turn
        if turn is None:
            return None
        specs = {spec.name: spec for spec in self.specs}
        return tool_words.guard(
            self._memory.state, self.calls, specs, has_acted=self._has_acted, language=turn.language
        )

    # Calls

    async def call(self, name: str, arguments: object) -> Any:
        """Call a tool for the open turn and wait for its result. Never raises.

        Args:
            name: As a model wrote it.
            arguments: As a model wrote them.

        Returns:
            What the model is told.
        """
        turn = self._tracker.turn
        if turn is None:
            return {"error": "the user has moved on"}
        self._take(turn)
        record = self._request(turn, name, arguments)
        await self._wait(turn, [record])
        return record.answer

    async def close(self) -> None:
        """The conversation ends: what only looks something up is dropped, what was confirmed gets its time."""
        for task, record in list(self._running.items()):
            if not record.risky:
                task.cancel()
        if self._running:
            await asyncio.gather(*self._running, return_exceptions=True)

    def _request(self, turn: TurnRecord, name: str, arguments: object) -> CallRecord:
        tool = self._tools.get(name)
        shown = dict(arguments) if isinstance(arguments, Mapping) else {}
        if len(self._calls) >= MAX_CALLS:
            return self._record(name, shown, status="failed", reason="too many calls in one turn; answer the user")
        if tool is None:
            known = ", ".join(self._tools) or "none"
            reason = f"there is no tool {clean(name, 40)!r}; there is: {known}"
            return self._note(turn, self._record(clean(name, 40), shown, status="failed", reason=reason))
        try:
            fitting = check_arguments(tool.spec, arguments)
        except WrongArguments as error:
            return self._note(turn, self._record(name, shown, status="failed", reason=str(error)))
        for known_call in reversed(self._calls):
            same = known_call.name == name and (
                same_call(known_call.arguments, fitting) or (tool.spec.risky and known_call.status == "completed")
            )
            if same and known_call.status not in ("failed", "timed_out", "cancelled"):
                return known_call
            # What may have gone through is not tried again without another yes.
            if same and tool.spec.risky:
                return known_call
        for running in self._running.values():
            if running.name == name and same_call(running.arguments, fitting):
                self._calls.append(running)
                return running
        if tool.spec.risky and not self._confirmation.allows(turn, fitting, self._tracker.closed_turns):
            return self._await_yes(turn, tool.spec, fitting)
        if tool.spec.risky:
            self._apply(turn, [CallsSettled(), TaskStatusChanged("in_progress")])
        return self._start(turn, name, fitting)

    def _start(self, turn: TurnRecord, name: str, arguments: Mapping[str, Any]) -> CallRecord:
        record = self._note(turn, self._record(name, arguments))
        record.task = self._memory.state.task
        self._latest[name] = (turn.turn_id, record.call_id)
        tool = self._tools.get(name)
        if tool is None:
            self._end(turn, record, "failed", "the tool is not there any more", None)
            return record
        task = asyncio.get_running_loop().create_task(self._run(turn, tool, record), name=f"tool {name}")
        self._running[task] = record
        task.add_done_callback(lambda done: self._running.pop(done, None) and None)
        return record

    async def _run(self, turn: TurnRecord, tool: Tool, record: CallRecord) -> None:
        timeout = tool.spec.timeout_s or self._limits.timeout_s
        status: Status = "failed"
        reason, outcome = "", None
        try:
            async with asyncio.timeout(timeout):
                outcome = read_result(await tool.call(record.arguments))
            status = "completed"
            if isinstance(outcome.value, Mapping) and (error := outcome.value.get("error")):
                status, reason = "failed", clean(str(error), 120)
        except TimeoutError:
            status, reason = "timed_out", f"no answer within {timeout:g} s"
        except ToolError as error:
            reason = clean(str(error), 120)
        except asyncio.CancelledError:
            self._end(turn, record, "cancelled", "it was taken back", None)
            raise
        except Exception as error:
            # The boundary to code of anybody.
            logger.warning("tool {}: {}: {}", record.name, type(error).__name__, error)
            reason = "it has a fault"
        self._end(turn, record, status, reason, outcome)

    async def _wait(self, turn: TurnRecord, records: Sequence[CallRecord]) -> None:
        """Wait for calls, and bridge a long wait; a cancelled wait does not cancel them."""
        tasks = [task for task, record in self._running.items() if any(record is wanted for wanted in records)]
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=self._limits.moment_s)
        if not late:
            return
        quiet = not self._tracker.reply.has_words and not self._tracker.user_turn_is_open
        if self._say is not None and quiet and turn is self._tracker.turn:
            await self._say(wording.moment(turn.language))
        await asyncio.wait(late)

    def _end(self, turn: TurnRecord, record: CallRecord, status: Status, reason: str, outcome: Outcome | None) -> None:
        record.status, record.reason, record.outcome = status, reason, outcome
        self._finish_log(record)
        spec = self._tools[record.name].spec if record.name in self._tools else ToolSpec(record.name)
        self._has_acted = self._has_acted or (spec.risky and status == "completed")
        made_in, latest = self._latest.get(record.name, (turn.turn_id, record.call_id))
        # The user has asked for something else with the same tool since: this result is of no use any more.
        outdated = not spec.risky and latest != record.call_id and made_in != turn.turn_id
        if status in ("completed", "failed", "timed_out") and not outdated:
            events = ended(
                spec,
                record.arguments,
                status,
                outcome,
                reason=reason,
                task=record.task,
                topic=self._memory.state.topic,
                is_current=record.task == self._memory.state.task,
                language=turn.language,
            )
            self._apply(turn, events)

    # Confirmation

    def _await_yes(self, turn: TurnRecord, spec: ToolSpec, arguments: Mapping[str, Any]) -> CallRecord:
        record = self._note(turn, self._record(spec.name, arguments, status="waiting_confirmation"))
        own = [call for call in self._calls if call.status == "waiting_confirmation"][-MAX_AWAITED:]
        calls = tuple(AwaitedCall(tool=call.name, arguments=call.arguments) for call in own)
        events: list[StateEvent] = []
        state = self._memory.state
        if not state.task or state.status in FINISHED:
            events.append(TaskStarted(phrase_of(spec, turn.language)))
        self._apply(turn, [*events, CallsAwaited(calls)])
        return record

    def _ask_anew(self, turn: TurnRecord, awaiting: Sequence[AwaitedCall], facts: Mapping[str, str]) -> None:
        """The user changed something that the waiting calls were made from."""
        revised: list[AwaitedCall] = []
        for call in awaiting:
            arguments = revise(call.arguments, call.facts, facts)
            tool = self._tools.get(call.tool)
            if arguments is None or tool is None:
                continue
            try:
                fitting = check_arguments(tool.spec, arguments)
            except WrongArguments:
                continue
            revised.append(AwaitedCall(tool=call.tool, arguments=fitting))
            self._note(turn, self._record(call.tool, fitting, status="waiting_confirmation"))
        self._apply(turn, [CallsAwaited(tuple(revised)) if revised else CallsSettled()])

    def _drop(self, turn: TurnRecord, call: AwaitedCall) -> None:
        self._note(turn, self._record(call.tool, call.arguments, status="cancelled", reason="the user said no"))

    # Bookkeeping

    def _take(self, turn: TurnRecord) -> None:
        if self._calls_of is turn:
            return
        self._calls_of, self._calls = turn, []
        turn.tool_calls.extend(self._late)
        self._late = []

    def _take_back(self, turn: TurnRecord) -> None:
        """What only looks something up for a task that the user has dropped is not waited for."""
        if self._memory.state.status != "cancelled" or turn.inner_state_before.get("status") == "cancelled":
            return
        for task, record in list(self._running.items()):
            if not record.risky:
                task.cancel()

    def _record(
        self, name: str, arguments: Mapping[str, Any], *, status: Status = "running", reason: str = ""
    ) -> CallRecord:
        self._number += 1
        spec = self._tools[name].spec if name in self._tools else None
        risky = spec is not None and spec.risky
        return CallRecord(name, arguments, f"call_{self._number}", risky, status, reason)

    def _note(self, turn: TurnRecord, record: CallRecord) -> CallRecord:
        self._calls.append(record)
        entry = ToolCall(record.name, dict(record.arguments), status=record.status)
        if record.reason:
            entry.result = {"error": record.reason}
        turn.tool_calls.append(entry)
        self._logged[id(record)] = (turn, entry)
        self._tracker.tool_called(self._clock(), record.name, record.status)
        return record

    def _finish_log(self, record: CallRecord) -> None:
        turn, entry = self._logged.pop(id(record), (None, None))
        if entry is None:
            return
        result = record.outcome.value if record.outcome is not None else None
        if turn is not self._tracker.turn:
            # The turn's line has been written; the next one tells how it ended.
            entry = ToolCall(record.name, dict(record.arguments))
            self._late.append(entry)
        entry.status = record.status
        entry.result = result if record.status == "completed" else {"error": record.reason}
        self._tracker.tool_called(self._clock(), record.name, record.status)

    def _apply(self, turn: TurnRecord, events: list[StateEvent]) -> None:
        if events:
            self._memory.apply(events, turn_id=turn.turn_id)
