"""Whom and what one user talks about: mentions count at once in memory and are stored behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memory.journal import Journal
from memory.nouns import Entity, Understanding, Utterance
from memory.write_queue import WriteQueue

# What has a name that a recogniser can misspell.
NAMED = frozenset({"person", "place", "organisation", "thing"})

# A mention this many mentions ago weighs half as much as one now.
HALF_LIFE = 50.0


class EntityKeeper:
    """Holds and stores the entities that one user names.

    Args:
        journal: Where they are stored.
        writes: The conversation's writes.
        user_id: Who names them.
        mentions: What was named before: utterance id -> entities, oldest first.
    """

    def __init__(
        self, journal: Journal, writes: WriteQueue, *, user_id: str, mentions: Mapping[str, Sequence[Entity]]
    ) -> None:
        self._journal = journal
        self._writes = writes
        self._user_id = user_id
        self._weights: dict[str, float] = {}
        self._spelling: dict[str, str] = {}
        self._step = 1.0
        for entities in mentions.values():
            self._count(entities)
        self.names = self._ranked()

    def mention(self, utterance: Utterance, understanding: Understanding) -> None:
        """Let the entities of an utterance come in."""
        entities = understanding.entities
        if not entities:
            return
        self._count(entities)
        self.names = self._ranked()

        async def write() -> None:
            await self._writes.run(lambda: self._journal.store_mentions(self._user_id, utterance.id, entities))

        self._writes.put(write)

    def _count(self, entities: Sequence[Entity]) -> None:
        for entity in entities:
            name = " ".join((entity.value or entity.name).split())
            if entity.kind in NAMED and name:
                key = name.casefold()
                self._weights[key] = self._weights.get(key, 0.0) + self._step
                self._spelling[key] = name
        # Every later mention weighs more, so that nothing need be lowered.
        self._step *= 2.0 ** (1.0 / HALF_LIFE)
        if self._step > 1e100:
            self._weights = {key: weight / self._step for key, weight in self._weights.items()}
            self._step = 1.0

    def _ranked(self) -> tuple[str, ...]:
        """The names as last spelt, the heaviest first."""
        ranked = sorted(self._weights, key=lambda key: self._weights[key], reverse=True)
        return tuple(self._spelling[key] for key in ranked)
