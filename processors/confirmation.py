"""What a yes or a no is about: whether it answers the question for a risky call, and what a model may call after it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from memory.state_tools import AwaitedCall
from memory.tools.arguments import canonical
from memory.tools.consent import Consent, read_consent
from processors.turn_record import TurnRecord

# The share of a question that must have been heard for its answer to count.
_HEARD_SHARE = 0.8
# Turns that are looked back on for the question that a yes answers.
_LOOK_BACK = 6
_ASKS = re.compile(r"[?？]|吗|(?:shall|should) I\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


class Confirmation:
    """Follows one conversation's questions."""

    def __init__(self) -> None:
        self._asked_in = 0

    def turn_closed(self, turn: TurnRecord, awaiting: Sequence[AwaitedCall]) -> bool:
        """Whether the user has now heard the question for what waits, and had not before.

        Args:
            turn: Has just closed.
            awaiting: What waits.
        """
        if not awaiting or not turn.heard_text or all(call.asked for call in awaiting):
            return False
        heard = len(turn.heard_text) / max(1, len(turn.reply_text))
        if (turn.interrupted and heard < _HEARD_SHARE) or not _ASKS.search(turn.heard_text):
            return False
        self._asked_in = turn.turn_id
        return True

    def counts(self, consent: Consent, closed: Sequence[TurnRecord]) -> bool:
        """Whether a yes or no answers the question for it, and not another one that was asked since."""
        if consent.explicit:
            return True
        return bool(closed) and (closed[-1].turn_id == self._asked_in or not _ASKS.search(closed[-1].heard_text))

    def allows(self, turn: TurnRecord, arguments: Mapping[str, Any], closed: Sequence[TurnRecord]) -> bool:
        """Whether the user has just said yes to a question that the model put before it called.

        Args:
            turn: The open turn.
            arguments: Of the call; every number in them must have been said or be known.
            closed: The turns before, oldest first.
        """
        consent = read_consent(turn.user_text)
        if consent.answer != "yes":
            return False
        before = turn.inner_state_before
        waits = before.get("status") == "waiting_confirmation"
        evidence = [" ".join(before.get("facts", {}).values())]
        asked = False
        for past in list(closed)[: -_LOOK_BACK - 1 : -1]:
            after = past.inner_state_after
            if waits and (after.get("status") != "waiting_confirmation" or after.get("task") != before.get("task")):
                break
            asked = asked or (bool(_ASKS.search(past.heard_text)) and not past.interrupted)
            evidence += [past.heard_text, past.user_text]
            if not waits:
                break
        return asked and (waits or consent.explicit) and _rests_on(arguments, " ".join(evidence))


def _rests_on(arguments: Mapping[str, Any], evidence: str) -> bool:
    """Whether every number of the arguments was said or is known."""
    known = {float(number) for number in _NUMBER.findall(evidence.replace(",", ""))}
    for part in canonical(arguments).split('"'):
        if part and part in evidence.casefold():
            continue
        if any(float(number) not in known for number in _NUMBER.findall(part)):
            return False
    return True
