"""A target that is a Python function, `module:name`, plain or asynchronous."""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import msgspec

from venire.errors import ConfigError
from venire.judges.options import read_options
from venire.judges.provider import Reply, Request
from venire.targets.program import reply_from, told
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Mapping


class PythonOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a target that is a function is configured with."""

    function: str
    """Where it is: `module:name`; modules are looked for beside the configuration first."""
    folder: str = ""
    """The folder that modules are looked for in first."""
    timeout_seconds: float = 120.0
    """How long one answer may take."""


def create(options: Mapping[str, Any]) -> PythonProvider:
    """Make the target; raises `ConfigError` if the function is not there."""
    read = read_options(options, PythonOptions, "python")
    return PythonProvider(load_function(read.function, read.folder), read.timeout_seconds)


def load_function(place: str, folder: str) -> Callable[[dict[str, Any]], Any]:
    """Import a function; raises `ConfigError` that says what is missing."""
    module_name, _, name = place.partition(":")
    if not module_name or not name:
        raise ConfigError("error.target.function_place", found=place)
    if folder and folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = _import(module_name, function_file(place, folder))
    except Exception as error:  # Whatever the user's module raises when it is imported.
        raise ConfigError(
            "error.target.module", module=module_name, reason=f"{type(error).__name__}: {error}", folder=folder
        ) from None
    function = getattr(module, name, None)
    if not callable(function):
        raise ConfigError("error.target.no_function", module=module_name, name=name)
    return function  # type: ignore[no-any-return]


def _import(name: str, file: Path | None) -> ModuleType:
    """Import a module; one beside the configuration is read anew, whatever another configuration calls by its name."""
    spec = importlib.util.spec_from_file_location(name, file) if file else None
    if spec is None or spec.loader is None:
        return importlib.import_module(name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def function_file(place: str, folder: str) -> Path | None:
    """Return the file of a function's module beside the configuration; None if it lies elsewhere."""
    path = Path(folder) / Path(*place.partition(":")[0].split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


class PythonProvider:
    """Calls one function; a plain one in a thread, so that others go on meanwhile."""

    def __init__(self, function: Callable[[dict[str, Any]], Any], timeout_seconds: float) -> None:
        self._function = function
        self._is_async = inspect.iscoroutinefunction(function)
        self._timeout_seconds = timeout_seconds

    async def ask(self, request: Request) -> Reply:
        """Call once; what it raises is a failure of this output."""
        start = time.perf_counter()
        try:
            async with asyncio.timeout(self._timeout_seconds):
                answer = await self._call(told(request))
        except TimeoutError:
            words = say("error.target.timeout", seconds=self._timeout_seconds)
            return Reply(None, error=words, error_kind="timeout", latency_seconds=time.perf_counter() - start)
        except Exception as error:  # Whatever the user's function raises.
            words = say("error.target.raised", error=f"{type(error).__name__}: {error}"[:500])
            return Reply(None, error=words, error_kind="server", latency_seconds=time.perf_counter() - start)
        return reply_from(answer, time.perf_counter() - start)

    async def close(self) -> None:
        """Let go of nothing."""

    async def _call(self, values: dict[str, Any]) -> Any:
        if self._is_async:
            return await self._function(values)
        answer = await asyncio.to_thread(self._function, values)
        return await answer if inspect.isawaitable(answer) else answer
