"""Lets an answer through whose bytes are no sound UTF-8: one broken character costs one character, not the reply."""

from __future__ import annotations

import codecs
from collections.abc import AsyncIterator
from typing import Any


async def mend_text(response: Any) -> None:
    """Replace what is no UTF-8 in a body by U+FFFD as it arrives; what is compressed is left alone.

    Args:
        response: Of the HTTP client that the ``openai`` package brings along; this is a hook for it.
    """
    if "content-encoding" in response.headers:
        return
    # The client takes no other stream than one of its own kind.
    kind = next((base for base in type(response.stream).__mro__ if base.__name__ == "AsyncByteStream"), None)
    if kind is not None:
        response.stream = type("SoundStream", (_Mended, kind), {})(response.stream)


class _Mended:
    """Holds nothing back but a character that is not complete."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            yield self._decoder.decode(part).encode()
        yield self._decoder.decode(b"", final=True).encode()

    async def aclose(self) -> None:
        await self._stream.aclose()
