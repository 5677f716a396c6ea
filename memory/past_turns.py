"""The turns of a session that is taken up again, as they were heard."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from memory.index import tokenise
from memory.nouns import Speaker, Utterance


@dataclass(frozen=True, slots=True)
class PastTurn:
    """One turn of before.

    Attributes:
        turn_id: Its number.
        started_at: When it began, seconds since the epoch.
        language: ISO 639-1.
        user_text: What the user said.
        heard: What the user heard of the reply; empty if the conversation ended before.
        unheard: What was written of it and not heard.
    """

    turn_id: int
    started_at: float
    language: str
    user_text: str = ""
    heard: str = ""
    unheard: str = ""


def past_turns(utterances: Iterable[Utterance], session_id: str) -> list[PastTurn]:
    """Put the utterances of one session together.

    Args:
        utterances: Of one user, in the order they were said.
        session_id: The session.

    Returns:
        Its turns, by number.
    """
    turns: dict[int, PastTurn] = {}
    for said in utterances:
        if said.session_id != session_id:
            continue
        turn = turns.get(said.turn_id) or PastTurn(said.turn_id, said.said_at, said.language)
        if said.speaker is Speaker.USER:
            turn = replace(turn, user_text=tokenise.join(turn.user_text, said.text), language=said.language)
        else:
            turn = replace(turn, heard=tokenise.join(turn.heard, said.text), unheard=said.unheard)
        turns[said.turn_id] = turn
    return [turns[number] for number in sorted(turns)]


def goes_on(last_heard_at: float, now: float, idle_timeout_s: float) -> bool:
    """Whether somebody who comes back goes on with the session, or begins a new one.

    Args:
        last_heard_at: When something was last said in it, seconds since the epoch.
        now: When the user comes back; before that, and the clocks have nothing to do with each other.
        idle_timeout_s: A session that was silent for longer is archived.
    """
    return 0.0 <= now - last_heard_at <= idle_timeout_s
