"""What is believed in one conversation: claims change at once in memory and are stored behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.journal import Journal
from memory.left_brain import absorb, outdated_utterances
from memory.nouns import Claim, Understanding, Utterance
from memory.write_queue import WriteQueue


class ClaimKeeper:
    """Holds and stores one user's claims.

    Args:
        journal: Where they are stored.
        writes: The conversation's writes.
        user_id: Whose claims.
        claims: What was believed before.
    """

    def __init__(self, journal: Journal, writes: WriteQueue, *, user_id: str, claims: Sequence[Claim]) -> None:
        self._journal = journal
        self._writes = writes
        self._user_id = user_id
        self.current = tuple(claims)
        self.outdated = outdated_utterances(claims)
        self._before: tuple[str, tuple[Claim, ...]] | None = None

    def believe(self, utterance: Utterance, understanding: Understanding) -> None:
        """Let the claims of an utterance come in, with the utterance as their evidence."""
        stated = [
            replace(claim, utterances=claim.utterances or (utterance.id,), since=claim.since or utterance.said_at)
            for claim in understanding.claims
        ]
        if not stated:
            return
        self._before = utterance.id, self.current
        absorbed = absorb(self.current, stated, correction=understanding.is_correction)
        self.current = absorbed.claims
        self.outdated = outdated_utterances(absorbed.claims)
        if absorbed.changed:
            self._store(absorbed.changed)

    def take_back(self, utterance: Utterance) -> None:
        """Believe what was believed before the latest utterance that stated anything, if it is this one."""
        if self._before is None or self._before[0] != utterance.id:
            return
        after, self.current = self.current, self._before[1]
        self.outdated = outdated_utterances(self.current)
        self._before = None

        async def withdraw() -> None:
            await self._writes.run(lambda: self._journal.withdraw_claims(self._user_id, [utterance.id]))

        self._writes.put(withdraw)
        self._store(tuple(claim for claim in self.current if claim not in after))

    def _store(self, claims: tuple[Claim, ...]) -> None:
        async def write() -> None:
            await self._writes.run(lambda: self._journal.store_claims(self._user_id, claims))

        self._writes.put(write)
