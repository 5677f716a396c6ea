#!/usr/bin/env python3
"""Write down every setting: configs/default.yaml, and the table in README.md, from pipeline/settings.py.

.venv/bin/python scripts/document_settings.py           rewrite both
.venv/bin/python scripts/document_settings.py --check   exit code 1 if one of them is out of date
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pipeline.settings import ENVIRONMENT, Settings

ROOT = Path(__file__).resolve().parent.parent
DEFAULTS = ROOT / "configs" / "default.yaml"
README = ROOT / "README.md"
BEGIN, END = "<!-- settings: scripts/document_settings.py -->", "<!-- end of settings -->"

HEAD = """\
# All settings with their defaults: English, offline, embedded models. Written by scripts/document_settings.py.
#
# Copy what you change into a file of your own and name it with --config; one key at a time goes with --set
# (--set asr.language=zh). Keys may be left out, unknown ones are refused. The environment wins over a file,
# --set over all.
"""

# Secrets have no place in a file of settings.
NOT_IN_FILES = {"llm.api_key", "asr.api_key"}


def sections() -> list[tuple[str, type[BaseModel]]]:
    """Name and class of each section, in order."""
    return [(name, type(getattr(Settings(), name))) for name in Settings.model_fields]


def explain(key: str, field: FieldInfo) -> str:
    """What a setting means, its choices, and the environment variable that sets it."""
    meaning = field.description or ""
    choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
    variables = [variable for variable, target in ENVIRONMENT if target == key and variable not in meaning]
    parts = [meaning, " | ".join(choices), f"environment: {', '.join(variables)}" if variables else ""]
    return "; ".join(part for part in parts if part)


def default(section: type[BaseModel], name: str) -> str:
    """A default as YAML."""
    value = section().model_dump(mode="json")[name]
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def yaml_text() -> str:
    """The content of configs/default.yaml."""
    lines = [HEAD]
    for section_name, section in sections():
        lines.append(f"# {(section.__doc__ or '').strip()}\n{section_name}:")
        for name, field in section.model_fields.items():
            key = f"{section_name}.{name}"
            if meaning := explain(key, field):
                lines.append(f"  # {meaning}")
            lines.append(f"  # {name}: not in a file" if key in NOT_IN_FILES else f"  {name}: {default(section, name)}")
        lines.append("")
    return "\n".join(lines)


def table() -> str:
    """The table of README.md."""
    lines = ["| key | default | meaning |", "|---|---|---|"]
    for section_name, section in sections():
        for name, field in section.model_fields.items():
            meaning = explain(f"{section_name}.{name}", field).replace("|", "\\|")
            lines.append(f"| `{section_name}.{name}` | `{default(section, name)}` | {meaning} |")
    return "\n".join(lines)


def readme_text() -> str:
    """README.md with a fresh table."""
    text = README.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"{README}: expected the lines {BEGIN!r} and {END!r}")
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def main(arguments: list[str]) -> int:
    """Write or check both files."""
    stale = [path for path, text in ((DEFAULTS, yaml_text()), (README, readme_text())) if path.read_text() != text]
    if "--check" in arguments:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is out of date: run scripts/document_settings.py")
        return 1 if stale else 0
    DEFAULTS.write_text(yaml_text(), encoding="utf-8")
    README.write_text(readme_text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
