"""A turn that had seemed to be over and goes on: read again as one, with nothing left of what its beginning meant."""

from __future__ import annotations

from pathlib import Path

from memory.nouns import Claim, Understanding
from memory.state_events import FactsStated, PendingChanged
from pipeline.virtual_time import run
from tests.memory.fakes import ScriptedUnderstander
from tests.memory.test_session import House


def lives_in(city: str) -> Claim:
    return Claim("user", "residence", city, kind="single")


def stated(text: str, home: str, **facts: str) -> Understanding:
    return Understanding(text, "en", claims=(lives_in(home),), updates=(FactsStated(facts),) if facts else ())


SCRIPT = {
    "I lived in Paris.": stated("I lived in Paris.", "Paris"),
    "I live in New": stated("I live in New", "New", city="New", time="10:00"),
    "York.": Understanding("York.", "en", updates=(FactsStated({"who": "York"}),)),
    "I live in New York.": stated("I live in New York.", "New York", city="New York"),
}


def heard_in_two(folder: Path, *, between: bool = False) -> tuple[dict[str, str], list[tuple[str, bool]], list[str]]:
    """The facts, the claims with whether they still hold (as they are on disk), and what was read."""
    house = House(folder, understander=ScriptedUnderstander(SCRIPT))

    async def main() -> dict[str, str]:
        async with house.session() as memory:
            await memory.hear("I lived in Paris.", turn_id=1, said_at=1.0)
            await memory.hear("I live in New", turn_id=2, said_at=2.0)
            if between:
                memory.apply([PendingChanged(add=("call back",))], turn_id=2)
            heard = await memory.hear("York.", turn_id=2, said_at=2.0, whole="I live in New York.")
            assert heard.utterance.text == "York."
            return dict(memory.state.facts)

    facts = run(main(), virtual=False)
    with house.journal() as journal:
        claims = [(claim.value, claim.until is None) for claim in journal.read_claims("anna")]
        texts = [utterance.text for _, utterance in journal.read("anna")]
    assert texts == ["I lived in Paris.", "I live in New", "York."], "every word stays as it was heard"
    return facts, claims, house.understander.heard


def test_the_beginning_is_taken_back_and_all_is_read_as_one(tmp_path):
    facts, claims, read = heard_in_two(tmp_path)
    assert facts == {"city": "New York"}
    assert claims == [("Paris", False), ("New York", True)]
    assert read[-1] == "I live in New York."


def test_what_changed_in_between_stays_and_the_rest_is_read_alone(tmp_path):
    facts, _, read = heard_in_two(tmp_path, between=True)
    assert facts == {"city": "New", "time": "10:00", "who": "York"}
    assert read[-1] == "York."


def test_the_words_of_another_turn_are_never_taken_back(tmp_path):
    house = House(tmp_path, understander=ScriptedUnderstander(SCRIPT))

    async def main() -> dict[str, str]:
        async with house.session() as memory:
            await memory.hear("I live in New", turn_id=1, said_at=1.0)
            await memory.hear("York.", turn_id=2, said_at=2.0, whole="I live in New York.")
            return dict(memory.state.facts)

    assert run(main(), virtual=False)["city"] == "New"
