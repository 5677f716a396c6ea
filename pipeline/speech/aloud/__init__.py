"""Written text as people say it, tied to the words that were written.

::

    "Free from 10:00-12:00 for 84 EUR."            text.py: what is said for which stretch of the text
    "Free from ten to twelve for eighty-four euros."    numbers_english.py, numbers_mandarin.py: how it is said
     └ a voice speaks this; voice.py gives the times back to "Free", "from", "10:00-12:00", "for", "84", "EUR."

The words of a reply stay the written ones: what was heard, logged and remembered is what the model wrote.
"""

from pipeline.speech.aloud.text import Aloud, read_aloud
from pipeline.speech.aloud.voice import AloudVoice

__all__ = ["Aloud", "AloudVoice", "read_aloud"]
