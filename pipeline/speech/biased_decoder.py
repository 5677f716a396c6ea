"""A decoder that knows names: tells which ones a text sounds like, and spells those that cannot be anything else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from pipeline.speech.decoder import Decoder
from pipeline.speech.decoding import DecodeRequest, Decoding, WordEnds
from pipeline.speech.names import NameIndex, moved, respelt
from pipeline.speech.sounds import Sounds


class NameBiasedDecoder:
    """Wraps the decoder of one conversation. A conversation without names costs nothing."""

    def __init__(self, decoder: Decoder, is_ordinary: Callable[[str], bool], sounds: Sounds | None = None) -> None:
        """Wrap a decoder.

        Args:
            decoder: Does the work.
            is_ordinary: Whether a Latin word is so common that it is likely meant as it stands.
            sounds: Shared with other conversations; made when needed.
        """
        self._decoder = decoder
        self._is_ordinary = is_ordinary
        self._sounds = sounds
        self._names: tuple[str, ...] = ()
        self._index: NameIndex | None = None
        self._indexed: tuple[str, ...] = ()

    def expect(self, names: Iterable[str]) -> None:
        """Name who and what may be talked about. May be called while a decode runs.

        Args:
            names: All of them, the more important first.
        """
        self._names = tuple(names)

    def decode(self, request: DecodeRequest) -> Decoding:
        """Decode once; called in the engine's thread.

        Args:
            request: Audio and how to read it.

        Returns:
            What the decoder heard, its names spelt, and which other names it sounds like.
        """
        decoding = self._decoder.decode(request)
        index = self._current_index()
        return decoding if index is None or not decoding.text else _spelt(decoding, index, request.names)

    def _current_index(self) -> NameIndex | None:
        names = self._names
        if names != self._indexed:
            self._sounds = self._sounds or Sounds()
            self._index = NameIndex(names, self._sounds, self._is_ordinary) if names else None
            self._indexed = names
        return self._index


def _spelt(decoding: Decoding, index: NameIndex, told: tuple[str, ...]) -> Decoding:
    likenesses = index.likenesses(decoding.text)
    places = index.misspelt(decoding.text, likenesses)
    text = respelt(decoding.text, places)
    similar = [place.name for place in likenesses if place not in places and place.name not in told]

    def moved_ends(ends: WordEnds) -> WordEnds:
        return tuple((moved(characters, places), end) for characters, end in ends)

    align = decoding.align
    return replace(
        decoding,
        text=text,
        times=moved_ends(decoding.times),
        align=None if align is None else lambda: moved_ends(align()),
        similar=tuple(similar),
        written=tuple(name for name in told if name.casefold() in text.casefold()),
    )
