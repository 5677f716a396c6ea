"""What every section of the settings is made of."""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, SecretStr


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def _address(address: str) -> str:
    try:
        parts = urlsplit(address)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound or not is_one_word(address):
        raise ValueError("expected an http:// or https:// address")
    return address


def sound_key(variable: str, key: SecretStr) -> SecretStr:
    """Refuse what cannot be a key; ``variable`` is where people set it."""
    if not is_one_word(key.get_secret_value()):
        raise ValueError(f"expected a key: ASCII without spaces; look at {variable}")
    return key


def is_one_word(text: str) -> bool:
    """Whether a text is ASCII without spaces."""
    return re.fullmatch(r"[\x21-\x7e]+", text) is not None


NotBlank = Annotated[str, AfterValidator(_not_blank)]
Address = Annotated[str, AfterValidator(_address)]


class Section(BaseModel):
    """A section: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", validate_default=True, allow_inf_nan=False)
