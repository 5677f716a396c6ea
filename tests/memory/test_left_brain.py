"""How claims take each other's place."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.left_brain import absorb, outdated_utterances
from memory.nouns import Claim, ClaimClass


def claim(
    value: str,
    at: float,
    *,
    attribute: str = "home",
    kind: ClaimClass = "single",
    polarity: bool = True,
    subject: str = "user",
) -> Claim:
    return Claim(subject, attribute, value, polarity, kind, at, None, (f"{value}@{at:g}",))


def believed(*stated: Claim, correction: bool = False) -> tuple[Claim, ...]:
    claims: tuple[Claim, ...] = ()
    for one in stated:
        claims = absorb(claims, [one], correction=correction).claims
    return claims


def current(claims: tuple[Claim, ...]) -> list[str]:
    return [one.value if one.polarity else f"not {one.value}" for one in claims if one.until is None]


def test_a_new_value_closes_the_old_one() -> None:
    claims = believed(claim("Berlin", 1), claim("Lisbon", 5))
    assert current(claims) == ["Lisbon"]
    assert claims[0] == replace(claim("Berlin", 1), until=5)


def test_only_what_changed_is_reported() -> None:
    first = believed(claim("Berlin", 1), claim("tea", 2, attribute="drink"))
    changed = absorb(first, [claim("Lisbon", 5)]).changed
    assert [one.value for one in changed] == ["Berlin", "Lisbon"]


def test_what_was_heard_late_of_an_earlier_time_is_history() -> None:
    claims = believed(claim("Lisbon", 5), claim("Berlin", 1))
    assert current(claims) == ["Lisbon"]
    assert claims[1].until == 5


def test_the_same_statement_adds_support() -> None:
    claims = believed(claim("Berlin", 1), claim("berlin.", 5))
    assert len(claims) == 1
    assert claims[0].value == "Berlin"
    assert claims[0].utterances == ("Berlin@1", "berlin.@5")
    assert absorb(claims, [claim("berlin.", 5)]).changed == ()


def test_values_of_other_keys_stay() -> None:
    claims = believed(claim("Berlin", 1), claim("Rome", 2, subject="Tom"), claim("tea", 3, attribute="drink"))
    assert current(claims) == ["Berlin", "Rome", "tea"]


def test_the_case_of_a_key_does_not_matter() -> None:
    assert current(believed(claim("Berlin", 1), claim("Lisbon", 2, attribute="Home"))) == ["Lisbon"]


def test_many_values_add_up_and_one_is_taken_back() -> None:
    claims = believed(
        claim("tennis", 1, kind="multi"),
        claim("chess", 2, kind="multi"),
        claim("tennis", 3, kind="multi", polarity=False),
    )
    assert current(claims) == ["chess", "not tennis"]


def test_a_denial_of_another_value_closes_nothing() -> None:
    assert current(believed(claim("Berlin", 1), claim("Rome", 2, polarity=False))) == ["Berlin", "not Rome"]


def test_events_stay() -> None:
    claims = believed(claim("ran", 1, kind="event"), claim("swam", 2, kind="event"))
    assert current(claims) == ["ran", "swam"]


@pytest.mark.parametrize("kind", ["safety", "single", "multi"])
def test_a_casual_remark_does_not_end_an_allergy(kind: ClaimClass) -> None:
    nuts = claim("nuts", 1, attribute="allergy", kind="safety")
    claims = believed(nuts, claim("nuts", 2, attribute="allergy", kind=kind, polarity=False))
    assert nuts in claims


def test_a_further_allergy_adds_up() -> None:
    claims = believed(
        claim("nuts", 1, attribute="allergy", kind="safety"), claim("milk", 2, attribute="allergy", kind="safety")
    )
    assert current(claims) == ["nuts", "milk"]


def test_a_correction_changes_an_allergy() -> None:
    nuts = claim("nuts", 1, attribute="allergy", kind="safety")
    taken_back = absorb([nuts], [replace(nuts, polarity=False, since=2.0)], correction=True).claims
    assert current(taken_back) == ["not nuts"]
    replaced = absorb([nuts], [claim("milk", 2, attribute="allergy", kind="safety")], correction=True).claims
    assert current(replaced) == ["milk"]


def test_utterances_that_only_support_the_past_are_outdated() -> None:
    assert outdated_utterances(believed(claim("Berlin", 1), claim("Lisbon", 5))) == {"Berlin@1"}
    both = replace(claim("Lisbon", 5), utterances=("Berlin@1", "x"))
    assert outdated_utterances(believed(claim("Berlin", 1), both)) == frozenset()


statements = st.lists(
    st.builds(
        claim,
        st.sampled_from(["a", "b", "c"]),
        st.floats(1, 9),
        attribute=st.sampled_from(["x", "y"]),
        kind=st.just("single"),
    ),
    max_size=12,
)


@given(statements, st.booleans())
def test_single_claims_have_one_current_value_and_lose_no_evidence(stated: list[Claim], correction: bool) -> None:
    claims = believed(*stated, correction=correction)
    for attribute in ("x", "y"):
        open_ones = [one for one in claims if one.attribute == attribute and one.until is None]
        said = [one for one in stated if one.attribute == attribute]
        assert len(open_ones) == (1 if said else 0)
    assert {u for one in stated for u in one.utterances} == {u for one in claims for u in one.utterances}
    assert all(one.until is None or one.until >= one.since for one in claims)


@given(st.lists(st.builds(claim, st.sampled_from(["nuts", "milk"]), st.floats(1, 9), kind=st.just("safety"))))
def test_safety_is_never_lost_without_a_correction(stated: list[Claim]) -> None:
    claims = believed(*stated)
    assert {one.value for one in claims if one.until is None} == {one.value for one in stated}
