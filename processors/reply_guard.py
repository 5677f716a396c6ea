"""Keeps a reply from claiming what was not done; it lets clauses pass as they are completed, so no word comes late."""

from __future__ import annotations

from memory.tools.done_claims import claims_done, split_clauses


class ReplyGuard:
    """One reply's guard.

    The voice begins to speak at the end of a clause anyway, so a clause that is held back until it is complete costs
    no time.

    Attributes:
        refused: Whether a claim was found; what followed it was dropped.
    """

    def __init__(self, instead: str, *, must_ask: bool = False, own_only: bool = False) -> None:
        """Guard a reply.

        Args:
            instead: Said in place of a claim and all that follows it.
            must_ask: Whether the reply has to put the question; it is added where the reply does not.
            own_only: Whether only what the agent says of itself counts as a claim.
        """
        self._instead = instead
        self._must_ask = must_ask
        self._own_only = own_only
        self._held = ""
        self._said = ""
        self.refused = False

    def feed(self, text: str) -> str:
        """Take the next piece of the reply.

        Returns:
            What of the reply may be said now.
        """
        if self.refused:
            return ""
        self._held += text
        clauses, self._held = split_clauses(self._held)
        return "".join(map(self._check, clauses))

    def finish(self, *, may_ask: bool = True) -> str:
        """The reply is complete.

        Args:
            may_ask: Whether the question may be added now; not where more of the reply may come.

        Returns:
            What is still to be said.
        """
        rest, self._held = self._held, ""
        said = "" if self.refused else self._check(rest)
        if may_ask and self._must_ask and not self.refused and not self._asks():
            gap = "" if not self._said or self._said[-1].isspace() or not self._instead[0].isascii() else " "
            said += gap + self._instead
            self._said += self._instead
        return said

    def _check(self, clause: str) -> str:
        if self.refused:
            return ""
        if claims_done(clause, own_only=self._own_only):
            self.refused = True
            self._said += self._instead
            return self._instead
        self._said += clause
        return clause

    def _asks(self) -> bool:
        said = self._said.rstrip()
        return "?" in said or "？" in said or said.endswith(("吗", "吗。"))
