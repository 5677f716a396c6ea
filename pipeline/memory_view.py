"""What is remembered of a user, as plain data for tables and JSON (contract in the design, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from memory.entity_keeper import NAMED
from memory.inner_state import InnerState, diff
from memory.nouns import Claim, Entity, Speaker
from memory.past_turns import goes_on
from pipeline.memory_stores import MemoryStores
from processors.turn_record import iso_time


def memory_of(stores: MemoryStores, user_id: str, *, idle_timeout_s: float, now: float) -> dict[str, Any]:
    """Everything that is known about a user.

    Args:
        stores: Where memory lives.
        user_id: Whose.
        idle_timeout_s: A session that was silent for longer is archived.
        now: Seconds since the epoch.

    Returns:
        ``claims``, ``entities``, ``affect``, ``traits``, ``sessions``, ``utterances``, ``state``.
    """
    claims = stores.journal.read_claims(user_id)
    latest = stores.sessions.latest(user_id)
    return {
        "claims": [_claim(claim) for claim in claims],
        "entities": _entities(claims, stores.journal.read_mentions(user_id)),
        "affect": [],
        "traits": [],
        "sessions": [
            {
                "session": session.session_id,
                "started_at": iso_time(session.started_at),
                "ended_at": iso_time(session.ended_at),
                "turns": session.turns,
                "language": session.language,
                "archived": not goes_on(session.ended_at, now, idle_timeout_s),
            }
            for session in stores.journal.sessions(user_id)
        ],
        "utterances": [
            {
                "id": utterance.id,
                "session": utterance.session_id,
                "turn": utterance.turn_id,
                "speaker": str(utterance.speaker),
                "text": utterance.text,
                "unheard": utterance.unheard,
                "said_at": iso_time(utterance.said_at),
                "language": utterance.language,
            }
            for _, utterance in stores.journal.read(user_id)
        ],
        "state": latest[1].to_contract() if latest is not None else {},
    }


def versions_of(stores: MemoryStores, user_id: str) -> dict[str, list[dict[str, Any]]]:
    """Every version of a user's inner states: session -> states, oldest first, in the form of the contract."""
    return {
        session: [state.to_contract() for state in stores.sessions.versions(user_id, session)]
        for session in stores.sessions.sessions(user_id)
    }


def version_rows(versions: Mapping[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """What changed with each version, one row a change."""
    rows = []
    for session, states in versions.items():
        for before, after in pairwise([InnerState().to_contract(), *states]):
            changes = diff(before, after) or [("", None, None)]
            for number, (field, old, new) in enumerate(changes):
                head = {"session": session, "version": after["version"]} if number == 0 else {}
                rows.append({"session": "", "version": "", **head, "field": field, "before": old, "after": new})
    return rows


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "subject": claim.subject,
        "attribute": claim.attribute,
        "value": claim.value,
        "polarity": claim.polarity,
        "class": claim.kind,
        "since": iso_time(claim.since),
        "until": iso_time(claim.until) if claim.until is not None else None,
        "utterances": list(claim.utterances),
    }


def _entities(claims: list[Claim], mentions: Mapping[str, Sequence[Entity]]) -> list[dict[str, Any]]:
    """Whom and what the user talked about, with the utterances that name them."""
    found: dict[str, dict[str, Any]] = {}

    def note(name: str, kind: str, utterances: Iterable[str]) -> None:
        entry = found.setdefault(name.casefold(), {"name": name, "kind": kind, "utterances": set()})
        entry["utterances"].update(utterances)

    for utterance_id, entities in mentions.items():
        for entity in entities:
            if entity.kind in NAMED:
                note(entity.value or entity.name, entity.kind, [utterance_id])
    for claim in claims:
        if claim.subject != Speaker.USER:
            note(claim.subject, "", claim.utterances)
    return [entry | {"utterances": sorted(entry["utterances"])} for entry in found.values()]
