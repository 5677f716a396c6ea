from __future__ import annotations

from pipeline.speech.attempts import Attempt, best, next_attempt
from pipeline.speech.decoding import Decoding, Verdict


def heard(verdict: Verdict, avg_logprob: float = -0.5, text: str = " words", looped: bool = False) -> Decoding:
    return Decoding(text, verdict, "en", avg_logprob=avg_logprob, looped=looped)


def test_what_is_clear_is_read_once() -> None:
    assert next_attempt([], has_context=True) is Attempt.SHORT
    assert next_attempt([(Attempt.SHORT, heard(Verdict.ACCEPT))], has_context=True) is None
    assert next_attempt([(Attempt.SHORT, heard(Verdict.NO_SPEECH))], has_context=True) is None


def test_a_doubt_is_read_again_only_where_context_helps() -> None:
    doubt = [(Attempt.SHORT, heard(Verdict.DOUBT))]
    assert next_attempt(doubt, has_context=True) is Attempt.JOINT
    assert next_attempt(doubt, has_context=False) is None


def test_a_rejection_ends_at_the_full_window() -> None:
    tried = [(Attempt.SHORT, heard(Verdict.REJECT))]
    assert next_attempt(tried, has_context=False) is Attempt.FULL
    assert next_attempt(tried, has_context=True) is Attempt.JOINT
    tried.append((Attempt.JOINT, heard(Verdict.REJECT)))
    assert next_attempt(tried, has_context=True) is Attempt.FULL
    tried.append((Attempt.FULL, heard(Verdict.REJECT)))
    assert next_attempt(tried, has_context=True) is None


def test_of_what_is_hopeless_the_full_window_makes_nothing() -> None:
    laugh = heard(Verdict.REJECT, -1.5)
    assert next_attempt([(Attempt.SHORT, laugh)], has_context=False) is None
    loop = heard(Verdict.REJECT, -1.5, looped=True)
    assert next_attempt([(Attempt.SHORT, loop)], has_context=False) is Attempt.FULL


def test_the_likeliest_is_believed_and_a_loop_never_over_words() -> None:
    loop = heard(Verdict.REJECT, -0.05, " a b c d a b c d", looped=True)
    words = heard(Verdict.REJECT, -1.1, " a b c d")
    assert best([(Attempt.SHORT, loop), (Attempt.FULL, words)]) is words
    assert best([(Attempt.SHORT, loop)]) is loop


def test_context_outweighs_a_small_difference() -> None:
    alone, joint = heard(Verdict.DOUBT, -0.7, " Nanou"), heard(Verdict.DOUBT, -0.75, " 90210")
    assert best([(Attempt.SHORT, alone), (Attempt.JOINT, joint)]) is joint


def test_what_stays_unlikely_was_not_said() -> None:
    laugh = heard(Verdict.REJECT, -1.44, " You're not going to be able to do it.")
    answer = best([(Attempt.SHORT, laugh), (Attempt.FULL, laugh)])
    assert (answer.verdict, answer.text) == (Verdict.NO_SPEECH, "")
    silent = heard(Verdict.NO_SPEECH, -1.8, "")
    assert best([(Attempt.SHORT, heard(Verdict.REJECT, -1.1)), (Attempt.FULL, silent)]) is silent


def named(verdict: Verdict, *similar: str, written: str = "", avg_logprob: float = -0.4) -> Decoding:
    names = (written,) if written else ()
    return Decoding(" words", verdict, "en", avg_logprob=avg_logprob, similar=similar, written=names)


def test_words_that_sound_like_a_name_are_read_once_more_knowing_it() -> None:
    tried = [(Attempt.SHORT, named(Verdict.ACCEPT, "Thibault"))]
    assert next_attempt(tried, has_context=False) is Attempt.NAMES
    tried.append((Attempt.NAMES, named(Verdict.ACCEPT)))
    assert next_attempt(tried, has_context=False) is None


def test_a_name_that_was_heard_coming_is_told_at_once() -> None:
    assert next_attempt([], has_context=False, has_names=True) is Attempt.NAMES
    tried = [(Attempt.NAMES, named(Verdict.ACCEPT, written="Thibault"))]
    assert next_attempt(tried, has_context=True, has_names=True) is None


def test_names_that_hurt_or_were_not_meant_are_left_out() -> None:
    in_vain = [named(Verdict.ACCEPT), named(Verdict.DOUBT, written="Tadhg"), named(Verdict.REJECT, written="Tadhg")]
    for decoding in (*in_vain, named(Verdict.NO_SPEECH)):
        tried = [(Attempt.NAMES, decoding)]
        assert next_attempt(tried, has_context=False, has_names=True) is Attempt.SHORT
        plain = named(Verdict.ACCEPT, avg_logprob=-0.9)
        assert best([*tried, (Attempt.SHORT, plain)]) is plain


def test_the_reading_that_knows_the_name_is_believed_unless_it_is_much_less_likely() -> None:
    plain, knowing = named(Verdict.ACCEPT, "Thibault"), named(Verdict.ACCEPT, written="Thibault", avg_logprob=-0.45)
    assert best([(Attempt.SHORT, plain), (Attempt.NAMES, knowing)]) is knowing
    worse = named(Verdict.ACCEPT, written="Thibault", avg_logprob=-0.6)
    assert best([(Attempt.SHORT, plain), (Attempt.NAMES, worse)]) is plain


def test_of_two_unlikely_readings_the_full_windows_is_believed() -> None:
    short, full = heard(Verdict.REJECT, -1.06), heard(Verdict.REJECT, -1.1)
    assert best([(Attempt.SHORT, short), (Attempt.FULL, full)]) is full


def test_a_reading_that_names_led_astray_ends_no_doubt() -> None:
    tried = [(Attempt.NAMES, named(Verdict.ACCEPT)), (Attempt.SHORT, named(Verdict.DOUBT))]
    assert next_attempt(tried, has_context=True, has_names=True) is Attempt.JOINT
