"""SmolLM2 (or any GGUF model) in this process, through llama.cpp. Blocking; the service runs it in its own thread."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from memory.errors import UserError
from memory.tokens import estimate_tokens

CONTEXT_TOKENS = 2048
# Room that is left for the template's own tokens and for the answer.
_RESERVED_TOKENS = 400
# One thread: llama.cpp's threads wait for each other in a busy loop after every layer, so on two cores that also
# run recognition and voice two threads were ten times slower than one (measured: 2-5 against 33-44 tokens/s).
THREADS = 1


class ModelError(Exception):
    """The model could not be loaded, or refused a prompt."""


def model_file(path: Path) -> Path:
    """Find the model's file.

    Args:
        path: A GGUF file, or a folder that holds one.

    Raises:
        UserError: There is none, or it is no GGUF file.
    """
    files = sorted(path.glob("*.gguf")) if path.is_dir() else [path]
    if not files or not files[0].is_file():
        raise UserError(f"{path}: no GGUF model here; fetch it with 'innervoice weights pull', or set llm.base_url")
    try:
        with files[0].open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise UserError(f"{files[0]}: cannot be read: {error.strerror or error}") from None
    if magic != b"GGUF":
        raise UserError(f"{files[0]}: not a GGUF model; delete it and fetch it with 'innervoice weights pull'")
    return files[0]


class EmbeddedModel:
    """One loaded model with one prompt cache. All methods block, and belong into one thread."""

    def __init__(self, file: Path) -> None:
        """Prepare; nothing is loaded yet.

        Args:
            file: GGUF file.
        """
        self._file = file
        self._server: Any = None

    def load(self) -> None:
        """Load the weights (mapped into memory, about 200 MB resident for SmolLM2-135M).

        Raises:
            ModelError: llama.cpp cannot load the file.
        """
        import xllamacpp

        params = xllamacpp.CommonParams()
        params.model.path = str(self._file)
        params.n_ctx = CONTEXT_TOKENS
        params.n_parallel = 1
        params.n_batch = 512
        params.n_ubatch = 256
        params.cpuparams.n_threads = THREADS
        params.cpuparams_batch.n_threads = THREADS
        # The prompt of the slot is kept; copies of older prompts in memory (8 GB by default) are not.
        params.cache_ram_mib = 0
        params.n_ctx_checkpoints = 0
        params.endpoint_slots = False
        params.ui = False
        params.verbosity = 0
        # The library insists on listening somewhere. It gets a Unix socket in a private folder that is removed
        # right after, so nobody can connect and no port is open.
        with tempfile.TemporaryDirectory(prefix="innervoice-", ignore_cleanup_errors=True) as folder:
            params.hostnames = [str(Path(folder) / "s.sock")]
            try:
                self._server = xllamacpp.Server(params)
            except Exception as error:
                raise ModelError(f"{self._file}: cannot be loaded: {error}") from None

    def close(self) -> None:
        """Free the weights."""
        self._server = None

    def generate(
        self,
        messages: Sequence[dict[str, Any]],
        *,
        max_tokens: int,
        temperature: float,
        stop: Sequence[str],
        on_text: Callable[[str], bool],
    ) -> None:
        """Generate an answer.

        Args:
            messages: Chat messages; the oldest in the middle are left out if the context cannot hold all.
            max_tokens: Longest answer.
            temperature: 0 for the likeliest token always.
            stop: Texts that end the answer.
            on_text: Gets each piece; returns True to stop, which takes effect at once.

        Raises:
            ModelError: The model is not loaded, or refused the prompt.
        """
        if self._server is None:
            raise ModelError(f"{self._file}: not loaded")
        problems: list[str] = []

        def take(chunk: dict[str, Any]) -> bool:
            # An exception that leaves this function would be lost in the library.
            with contextlib.suppress(KeyError, IndexError, TypeError, AttributeError):
                if "error" in chunk:
                    problems.append(str(chunk["error"].get("message", chunk["error"])))
                    return True
                text = chunk["choices"][0]["delta"].get("content")
                return on_text(text) if text else on_text("")
            return False

        request = {
            "messages": fitting(messages, max_tokens),
            "max_tokens": max_tokens,
            "temperature": temperature,
            "seed": 1,
            "stop": list(stop),
            "stream": True,
            "cache_prompt": True,
        }
        try:
            self._server.handle_chat_completions(request, take)
        except RuntimeError as error:
            raise ModelError(f"{self._file.name}: {str(error).splitlines()[0][:120]}") from None
        if problems:
            raise ModelError(f"{self._file.name}: {problems[0][:200]}")


def fitting(messages: Sequence[dict[str, Any]], max_tokens: int) -> list[dict[str, str]]:
    """The messages that the context can hold: the system message, the last one, and the newest between them."""
    kept = [{"role": str(message["role"]), "content": str(message.get("content", ""))} for message in messages]
    room = CONTEXT_TOKENS - max_tokens - _RESERVED_TOKENS
    first = 1 if kept and kept[0]["role"] == "system" else 0
    while len(kept) > first + 1 and sum(estimate_tokens(message["content"]) for message in kept) > room:
        del kept[first]
    spent = sum(estimate_tokens(message["content"]) for message in kept)
    if kept and spent > room:
        kept[-1]["content"] = kept[-1]["content"][-2 * room :]
    return kept
