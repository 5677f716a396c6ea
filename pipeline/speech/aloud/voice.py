"""A voice that says numbers and codes as people do, and still times the words that were written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date

from pipeline.speech.aloud.text import Aloud, read_aloud
from pipeline.speech.voice import SpokenChunk, SpokenWord, Voice


def _this_year() -> int:
    return date.today().year


class AloudVoice:
    """Wraps a voice; a ``Voice``."""

    def __init__(self, voice: Voice, year: Callable[[], int | None] = _this_year) -> None:
        """Wrap a voice.

        Args:
            voice: Speaks.
            year: The year it is now, which is not said of a date.
        """
        self.name = voice.name
        self.language = voice.language
        self.sample_rate = voice.sample_rate
        self.speed = voice.speed
        self._voice = voice
        self._year = year

    def synthesize(self, text: str) -> Iterator[SpokenChunk]:
        """Speak a text as people say it; the words of the chunks are the written ones. See ``Voice.synthesize``."""
        aloud = read_aloud(text, self.language, self._year())
        if aloud.text == text:
            yield from self._voice.synthesize(text)
        else:
            yield from in_written_words(self._voice.synthesize(aloud.text), aloud)

    def at_speed(self, speed: float) -> AloudVoice:
        """Return the same voice at another speed; the model is shared."""
        return AloudVoice(self._voice.at_speed(speed), self._year)

    def warm_up(self) -> None:
        """Do what makes the first synthesis slow; blocking."""
        self._voice.warm_up()


def in_written_words(chunks: Iterator[SpokenChunk], aloud: Aloud) -> Iterator[SpokenChunk]:
    """The same audio with the times of the written words.

    A written word ends where the last word that is said for it does. A chunk that ends in the middle of one
    carries the word if it has no other.

    Args:
        chunks: What a voice made of ``aloud.text``.
        aloud: Which words were written.
    """
    said = written = 0
    for chunk in chunks:
        words: list[SpokenWord] = []
        start = 0
        for spoken in chunk.words:
            said += 1
            while written < len(aloud.words) and aloud.ends[written] <= said:
                words.append(SpokenWord(aloud.words[written].text, start, spoken.end))
                start = spoken.end
                written += 1
        if not words and chunk.words and written < len(aloud.words):
            words.append(SpokenWord(aloud.words[written].text, 0, len(chunk.audio)))
            written += 1
        if words:
            last = words[-1]
            words[-1] = SpokenWord(last.text, last.start, len(chunk.audio))
        yield SpokenChunk(chunk.audio, words, chunk.exact)
