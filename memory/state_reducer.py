"""The only way an inner state changes: one pure function over events.

What an event does not mention stays. What the user stated, only the user changes. What no longer fits is
folded into the summary; the words themselves are in the journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never

from memory.state_change import changed, noted, same, summary_of, with_lines, with_task_line
from memory.state_events import (
    CallsAsked,
    CallsAwaited,
    CallsSettled,
    FactsDropped,
    FactsStated,
    OptionsListed,
    PendingChanged,
    PreferenceStated,
    RolledBack,
    Source,
    StateEvent,
    StepDone,
    SubjectSet,
    SummaryAdded,
    TaskStarted,
    TaskStatusChanged,
    ToolReported,
    TopicChanged,
)
from memory.state_model import (
    FINISHED,
    MAX_FACTS,
    MAX_KEY_CHARS,
    MAX_PENDING,
    MAX_PREFERENCES,
    MAX_STEPS,
    MAX_TASKS,
    InnerState,
    ShelvedTask,
    Subject,
    TaskRecord,
    clean,
)
from memory.state_tools import MAX_AWAITED, MAX_OPTIONS, AwaitedCall, Option
from memory.state_update import PreferenceProposed, StatusProposed, TaskProposed


def reduce(state: InnerState, event: StateEvent) -> InnerState:
    """The state after an event.

    A new task comes before its facts: facts that were stated for an open task go with that task.
    ``RolledBack`` needs earlier versions and is done by ``StateHistory``; here it changes nothing.

    Args:
        state: Before.
        event: What happened.

    Returns:
        A state with the next version, or the same object if nothing changed.
    """
    after = _apply(state, event)
    if after == state:
        return state
    after = _with_stale_calls(state, after, event)
    bookkeeping = after.bookkeeping.model_copy(update={"restored_from": None})
    return after.model_copy(update={"version": state.version + 1, "bookkeeping": bookkeeping})


def carry_over(state: InnerState) -> InnerState:
    """What a returning user starts a new session with: preferences, summary, and open tasks to resume."""
    shelved = _set_aside(state)
    tasks = tuple(record for record in shelved.tasks if record.status not in FINISHED)
    entries = tuple(_to_be_asked_again(entry) for entry in shelved.bookkeeping.shelved)
    known = {entry.task for entry in entries}
    keep = shelved.bookkeeping.model_copy(
        update={
            "restored_from": None,
            "options": (),
            "tool_result": None,
            "shelved": entries,
            "from_before": tuple(record.task for record in tasks if record.task in known),
        }
    )
    return InnerState(
        preference=shelved.preference, history_summary=shelved.history_summary, tasks=tasks, bookkeeping=keep
    )


def _to_be_asked_again(entry: ShelvedTask) -> ShelvedTask:
    """What waited for a yes waits for another question: days may have passed."""
    awaiting = tuple(call.model_copy(update={"asked": False}) for call in entry.awaiting)
    return entry.model_copy(update={"awaiting": awaiting})


def _apply(state: InnerState, event: StateEvent) -> InnerState:
    match event:
        case TaskProposed():
            return _task_proposed(state, event)
        case TaskStarted():
            return _task_started(state, event)
        case StatusProposed():
            return _status_proposed(state, event)
        case TaskStatusChanged():
            return _status_changed(state, event)
        case FactsStated():
            return _facts_stated(state, event)
        case FactsDropped():
            return _facts_dropped(state, event)
        case PendingChanged():
            return _pending_changed(state, event)
        case StepDone():
            step = clean(event.step)
            if not step or step in state.steps:
                return state
            return changed(state, steps=(*state.steps, step)[-MAX_STEPS:])
        case PreferenceProposed():
            return _preference_stated(state, event.preferences, "model")
        case PreferenceStated():
            return _preference_stated(state, event.preferences, "user")
        case SubjectSet():
            subject = Subject(type=clean(event.type), id=clean(event.id), description=clean(event.description))
            return changed(state, subject=subject) if subject.id or subject.description else state
        case TopicChanged():
            topic = clean(event.topic)
            return changed(state, topic=topic) if topic else state
        case SummaryAdded():
            return with_lines(state, event.text.splitlines())
        case OptionsListed():
            return noted(state, options=tuple(map(_clean_option, event.options[:MAX_OPTIONS])))
        case CallsAwaited():
            return _calls_awaited(state, event)
        case CallsAsked():
            asked = tuple(call.model_copy(update={"asked": not call.stale}) for call in state.bookkeeping.awaiting)
            return noted(state, awaiting=asked)
        case CallsSettled():
            return noted(state, awaiting=())
        case ToolReported():
            return noted(state, tool_result=event.result)
        case RolledBack():
            return state
        case _:
            assert_never(event)


# --- tasks


def _task_proposed(state: InnerState, event: TaskProposed) -> InnerState:
    task, topic = clean(event.task), clean(event.topic)
    if not state.task:
        return _task_started(state, event)
    if not task or same(task, state.task):
        return state
    elsewhere = bool(topic and state.topic and not same(topic, state.topic))
    if state.status in FINISHED or elsewhere or _find_shelved(state, task) is not None:
        return _task_started(state, event)
    tasks = tuple(
        record.model_copy(update={"task": task}) if same(record.task, state.task) else record
        for record in state.tasks
        if not same(record.task, task)
    )
    return changed(state, task=task, tasks=tasks)


def _task_started(state: InnerState, event: TaskStarted) -> InnerState:
    task = clean(event.task)
    topic = clean(event.topic) or state.topic
    if not task:
        return state
    if same(task, state.task) and state.status not in FINISHED:
        return changed(state, topic=topic)
    state = _set_aside(state)
    shelved = _find_shelved(state, task)
    if shelved is not None:
        state = _take_up(state, shelved)
        topic = clean(event.topic) or shelved.topic or topic
    records = [record for record in state.tasks if not same(record.task, task)]
    # What waited for a yes when the task was set aside waits on.
    status = "waiting_confirmation" if state.bookkeeping.awaiting else event.status
    state = changed(state, task=task, status=status, topic=topic)
    return _with_tasks(state, [*records, TaskRecord(task=task, status=status)])


def _set_aside(state: InnerState) -> InnerState:
    """Fold the current task's facts into the summary; keep what an open task needs to be taken up again."""
    if not state.task:
        return state
    state = with_task_line(state)
    kept = state.bookkeeping
    shelved = tuple(entry for entry in kept.shelved if not same(entry.task, state.task))
    if state.status not in FINISHED:
        entry = ShelvedTask(
            task=state.task,
            topic=state.topic,
            facts=state.facts,
            user_facts=kept.user_facts,
            pending=state.pending,
            steps=state.steps,
            subject=state.subject,
            options=kept.options,
            awaiting=_unasked(kept.awaiting),
        )
        shelved = (*shelved, entry)[-MAX_TASKS:]
    state = noted(state, shelved=shelved, user_facts=(), awaiting=())
    return changed(state, task="", status="not_started", facts={}, pending=(), steps=())


def _take_up(state: InnerState, entry: ShelvedTask) -> InnerState:
    """Bring back a task that was set aside; what was said since wins."""
    loose, loose_user = state.facts, state.bookkeeping.user_facts
    others = tuple(kept for kept in state.bookkeeping.shelved if kept is not entry)
    options = entry.options or state.bookkeeping.options
    state = noted(
        state, shelved=others, user_facts=entry.user_facts, options=options, awaiting=_unasked(entry.awaiting)
    )
    state = changed(state, facts=entry.facts, pending=entry.pending, steps=entry.steps)
    if entry.subject != Subject():
        state = changed(state, subject=entry.subject)
    return _with_facts(state, loose, loose_user)


def _find_shelved(state: InnerState, task: str) -> ShelvedTask | None:
    return next((entry for entry in state.bookkeeping.shelved if same(entry.task, task)), None)


def _with_tasks(state: InnerState, records: list[TaskRecord]) -> InnerState:
    """Keep the list short: finished tasks go first, the longest untouched one of them; never the current one."""
    while len(records) > MAX_TASKS:
        finished = (record for record in records[:-1] if record.status in FINISHED)
        records.remove(next(finished, records[0]))
    names = {record.task for record in records}
    shelved = tuple(entry for entry in state.bookkeeping.shelved if entry.task in names)
    return noted(changed(state, tasks=tuple(records)), shelved=shelved)


def _status_changed(state: InnerState, event: TaskStatusChanged) -> InnerState:
    task = clean(event.task) or state.task
    if not task:
        return state
    result = clean(event.result)
    tasks = tuple(
        record.model_copy(update={"status": event.status, "result": result or record.result})
        if same(record.task, task)
        else record
        for record in state.tasks
    )
    if not same(task, state.task):
        return _elsewhere(changed(state, tasks=tasks), task, event)
    state = changed(state, status=event.status, tasks=tasks)
    if event.status not in FINISHED:
        return state
    return with_task_line(noted(state, awaiting=()))


def _elsewhere(state: InnerState, task: str, event: TaskStatusChanged) -> InnerState:
    """A task that was set aside moved on; one that is over cannot be taken up again."""
    if event.status not in FINISHED:
        return state
    shelved = tuple(entry for entry in state.bookkeeping.shelved if not same(entry.task, task))
    lines = [line for line in state.history_summary.split("\n") if not line.startswith(f"{task} [")]
    state = changed(state, history_summary=summary_of(lines))
    return with_lines(noted(state, shelved=shelved), [f"{task} [{event.status}] {clean(event.result)}".rstrip()])


def _status_proposed(state: InnerState, event: StatusProposed) -> InnerState:
    """What waits for the user's yes is not moved on by the model's word."""
    if state.status == "waiting_confirmation" and event.status not in ("cancelled", "failed"):
        return state
    return _status_changed(state, event)


# --- calls of tools


def _calls_awaited(state: InnerState, event: CallsAwaited) -> InnerState:
    facts = dict(state.facts)
    calls = tuple(
        AwaitedCall(tool=clean(call.tool, MAX_KEY_CHARS), arguments=call.arguments, facts=facts)
        for call in event.calls[:MAX_AWAITED]
    )
    if not calls:
        return noted(state, awaiting=())
    state = _status_changed(state, TaskStatusChanged("waiting_confirmation"))
    return noted(state, awaiting=calls)


def _with_stale_calls(before: InnerState, after: InnerState, event: StateEvent) -> InnerState:
    """A yes that was asked for other facts than the user has now stated counts no longer."""
    awaiting = after.bookkeeping.awaiting
    by_user = isinstance(event, FactsStated | FactsDropped) and event.source == "user"
    if not awaiting or not by_user or after.facts == before.facts:
        return after
    stale = tuple(call.model_copy(update={"asked": False, "stale": True}) for call in awaiting)
    return noted(after, awaiting=stale)


def _unasked(calls: Iterable[AwaitedCall]) -> tuple[AwaitedCall, ...]:
    return tuple(call.model_copy(update={"asked": False}) for call in calls)


def _clean_option(option: Option) -> Option:
    return Option(
        type=clean(option.type, MAX_KEY_CHARS),
        id=clean(option.id),
        description=clean(option.description),
        details=_clean_table(dict(list(option.details.items())[:MAX_FACTS])),
    )


# --- facts, pending, preferences


def _facts_stated(state: InnerState, event: FactsStated) -> InnerState:
    stated = _clean_table(event.facts)
    protected = () if event.source == "user" else state.bookkeeping.user_facts
    stated = {key: value for key, value in stated.items() if key not in protected}
    return _with_facts(state, stated, tuple(stated) if event.source == "user" else ())


def _with_facts(state: InnerState, stated: Mapping[str, str], by_user: Iterable[str]) -> InnerState:
    facts = _merge(state.facts, stated)
    user_keys = dict.fromkeys((*state.bookkeeping.user_facts, *by_user))
    facts, folded = _fit(facts, MAX_FACTS, user_keys)
    state = noted(state, user_facts=tuple(key for key in user_keys if key in facts))
    return with_lines(changed(state, facts=facts), folded)


def _facts_dropped(state: InnerState, event: FactsDropped) -> InnerState:
    protected = () if event.source == "user" else state.bookkeeping.user_facts
    gone = {key for key in (clean(key, MAX_KEY_CHARS) for key in event.keys) if key not in protected}
    state = changed(state, facts={key: value for key, value in state.facts.items() if key not in gone})
    return noted(state, user_facts=tuple(key for key in state.bookkeeping.user_facts if key not in gone))


def _pending_changed(state: InnerState, event: PendingChanged) -> InnerState:
    done = {clean(item).casefold() for item in event.done}
    pending = [item for item in state.pending if item.casefold() not in done]
    for item in map(clean, event.add):
        if item and not any(same(item, known) for known in pending):
            pending.append(item)
    surplus, pending = pending[:-MAX_PENDING], pending[-MAX_PENDING:]
    return with_lines(changed(state, pending=tuple(pending)), surplus)


def _preference_stated(state: InnerState, preferences: Mapping[str, str], source: Source) -> InnerState:
    stated = _clean_table(preferences)
    known = state.bookkeeping.user_preferences
    if source == "user":
        user_keys = dict.fromkeys((*known, *stated))
    else:
        stated = {key: value for key, value in stated.items() if key not in known}
        user_keys = dict.fromkeys(known)
    preference, folded = _fit(_merge(state.preference, stated), MAX_PREFERENCES, user_keys)
    state = noted(state, user_preferences=tuple(key for key in user_keys if key in preference))
    return with_lines(changed(state, preference=preference), folded)


def _clean_table(table: Mapping[str, str]) -> dict[str, str]:
    pairs = ((clean(key, MAX_KEY_CHARS), clean(value)) for key, value in table.items())
    return {key: value for key, value in pairs if key and value}


def _merge(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """New values over old ones; what was touched last comes last."""
    changed = {key: value for key, value in new.items() if old.get(key) != value}
    return {key: value for key, value in old.items() if key not in changed} | changed


def _fit(table: dict[str, str], limit: int, important: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """At most ``limit`` entries, and lines for those that had to go: the user's own last, else the oldest first."""
    important = set(important)
    table = dict(table)
    folded = []
    while len(table) > limit:
        key = next((key for key in table if key not in important), next(iter(table)))
        folded.append(f"{key}: {table.pop(key)}")
    return table, folded
