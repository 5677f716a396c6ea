"""A Python function as a tool: its name, docstring and annotations say all that a model has to know.

@tool(risky=True)
async def water_plants(room: str, litres: float = 1.0) -> dict:
\"\"\"Water the plants in a room.\"\"\"
return {"watered": room}
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pydantic import ConfigDict, ValidationError, create_model

from memory.tools.spec import ToolError, ToolSpec


class FunctionTool:
    """A tool made from a function. A function that is no coroutine runs in a thread."""

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str = "",
        risky: bool = False,
        timeout_s: float | None = None,
    ) -> None:
        """Make a tool.

        Args:
            function: With annotated parameters; the first paragraph of its docstring is the description.
            name: Another name than the function's.
            risky: Whether it orders, pays, deletes or sends.
            timeout_s: Longest wait for its result, seconds; None for the configured one.

        Raises:
            TypeError: A parameter cannot be passed by name.
        """
        self._function = function
        fields: dict[str, Any] = {}
        for parameter in inspect.signature(function, eval_str=True).parameters.values():
            if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                raise TypeError(f"{function.__name__}: {parameter.name}: a tool's parameters are passed by name")
            annotation = Any if parameter.annotation is parameter.empty else parameter.annotation
            fields[parameter.name] = (annotation, ... if parameter.default is parameter.empty else parameter.default)
        called = name or function.__name__
        self._model = create_model(called, __config__=ConfigDict(extra="forbid"), **fields)
        description = inspect.cleandoc(function.__doc__ or "").split("\n\n")[0].replace("\n", " ")
        self.spec = ToolSpec(called, description, _inlined(self._model.model_json_schema()), risky, timeout_s)

    async def call(self, arguments: Mapping[str, Any]) -> Any:
        """Call the function.

        Raises:
            ToolError: An argument is wrong.
        """
        try:
            checked = self._model.model_validate(dict(arguments))
        except ValidationError as error:
            first = error.errors()[0]
            raise ToolError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
        values = {name: getattr(checked, name) for name in type(checked).model_fields}
        if inspect.iscoroutinefunction(self._function):
            return await self._function(**values)
        return await asyncio.get_running_loop().run_in_executor(None, partial(self._function, **values))


def tool(
    function: Callable[..., Any] | None = None, *, name: str = "", risky: bool = False, timeout_s: float | None = None
) -> Any:
    """Make a function a tool, as a decorator with or without arguments.

    Args:
        function: The function.
        name: Another name than the function's.
        risky: Whether it orders, pays, deletes or sends: it then runs only after the user's yes.
        timeout_s: Longest wait for its result, seconds; None for the configured one.
    """
    if function is None:
        return partial(tool, name=name, risky=risky, timeout_s=timeout_s)
    return FunctionTool(function, name=name, risky=risky, timeout_s=timeout_s)


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema without titles and references, as models like it."""
    definitions = schema.get("$defs", {})

    def plain(node: Any) -> Any:
        if isinstance(node, list):
            return [plain(entry) for entry in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return plain(definitions.get(node["$ref"].rpartition("/")[2], {}))
        options = node.get("anyOf")
        if isinstance(options, list):
            some = [option for option in options if option != {"type": "null"}]
            if len(some) == 1 and len(options) == 2:
                rest = {key: value for key, value in node.items() if key != "anyOf"}
                node = {**some[0], **rest}
        titled = isinstance(node.get("title"), str)
        return {key: plain(value) for key, value in node.items() if key != "$defs" and not (key == "title" and titled)}

    inlined: dict[str, Any] = plain(schema)
    return inlined
