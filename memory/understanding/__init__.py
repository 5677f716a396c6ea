"""Words -> entities, claims, events for the inner state, emotion. No language model, no I/O, no clock.

::

    english.py, mandarin.py            words, names, clauses (spaCy, LAC)
    times*.py, clocks_en.py            "tomorrow from ten to twelve" against a clock
    codes, amounts, contacts           A302, 84 EUR, phone numbers
    people, claims*, statements_*      who is spoken of, what is said about them
    topics, requests_*, cues           what is asked for, corrected, taken back
    tasks.py, slots.py, answers.py     all of that as events for the inner state
    emotion.py                         the feeling in the words
"""

from memory.understanding.emotion import emotion_of
from memory.understanding.understander import Understander

__all__ = ["Understander", "emotion_of"]
