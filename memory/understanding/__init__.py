"""Words -> entities, claims, events for the inner state, emotion. No language model, no I/O, no clock.

::

    words/      language; parts of speech, names, clauses (spaCy, LAC)
    times/      "tomorrow from ten to twelve" against a clock
    values/     84 EUR, A302, ORD12345678, phone numbers, numbers in words
    people/     who is spoken of, and what they are to the user
    claims/     what is said about them: one rule per way to say it
    tasks/      what is asked for, answered, corrected, taken back -> events
    emotion.py  the feeling in the words
"""

from memory.understanding.emotion import emotion_of
from memory.understanding.understander import Understander

__all__ = ["Understander", "emotion_of"]
