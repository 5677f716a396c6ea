"""Recalls outside of a conversation, with the same ladder."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memory.embedder import Embedder
from memory.nouns import Understanding
from memory.session import MemorySession
from pipeline.memory_stores import MemoryStores
from pipeline.settings import Settings
from processors.turn_record import iso_time

# Nobody waits for this answer in a conversation.
PATIENCE_MS = 30_000.0


async def search_memory(
    stores: MemoryStores, settings: Settings, embedder: Embedder, user_id: str, query: str
) -> dict[str, Any]:
    """Search one user's memory.

    Args:
        stores: Where memory lives.
        settings: ``memory.top_k`` and ``memory.token_budget`` hold.
        embedder: Makes the query's vector.
        user_id: Whose memory.
        query: What to look for.

    Returns:
        ``recalled`` (best first), ``tier``, ``reason``, ``ms``.
    """
    memory = await MemorySession.open(
        user_id=user_id,
        session_id="search",
        language=settings.agent.language,
        journal=stores.journal,
        sessions=stores.sessions,
        embedder=embedder,
        understander=_NothingToUnderstand(),
        deadline_ms=PATIENCE_MS,
        token_budget=settings.memory.token_budget,
        top_k=settings.memory.top_k,
        now=datetime.now,
    )
    try:
        result = await memory.recall(query, turn_id=0)
    finally:
        await memory.close()
    return {
        "recalled": [
            {
                "id": item.id,
                "text": item.text,
                "score": round(item.score, 3),
                "brain": item.brain,
                "said_at": iso_time(item.said_at),
                "speaker": str(item.speaker),
            }
            for item in result.items
        ],
        "tier": result.tier,
        "reason": str(result.reason),
        "ms": result.ms,
    }


class _NothingToUnderstand:
    """A search hears nobody."""

    def warm_up(self) -> None:
        pass

    def understand(self, text: str, **_: Any) -> Understanding:
        return Understanding(text=text, language="en")
