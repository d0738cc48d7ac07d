"""What the code declares stays: what is assumed where nothing is said, and which values are taken.

Files, ledgers, requests, commands and callers rely on it, and most of it is declared in one line that nothing else
repeats. Kept are structures, closed choices, limits, public functions, and commands.
"""

from __future__ import annotations

import enum
import hashlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from datetime import timedelta
from importlib import import_module
from pathlib import Path

import click
import msgspec
import pytest

import venire
from golden_values import assert_as_kept
from venire.cli.main import cli

LIMITS = (
    "const",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maximum",
    "maxItems",
    "maxLength",
    "minimum",
    "minItems",
    "minLength",
    "pattern",
)
LIMIT = re.compile("[A-Z][A-Z_]+")
ASSIGNED = re.compile("^(_?[A-Z][A-Z0-9_]+(?:, _?[A-Z][A-Z0-9_]+)*)(?:: [^=]+)? = (.*)", re.MULTILINE)
COMPUTED = re.compile(r"(?<!frozenset)(?<=\w)\(|(?<![\"'.\w])[a-z_]\w*\.\w")
PACE = re.compile("AT_ONCE|BATCH|BLOCK|BUFFER|CACHED|CHUNK|LOOKED_UP|PAGE_BYTES|PIPE|REMEMBERED|SPOOL|WAITING")
"""Constants that say how much is worked on or kept at a time: they change no result."""
MARKS = ("array_like", "forbid_unknown_fields", "omit_defaults")
SAID = ("required", "nargs", "multiple", "default", "envvar", "hidden")
PLAIN = (bool, enum.Enum, float, int, str, timedelta, tuple, type(None))
WRITTEN = (bool, bytes, enum.Enum, float, int, str, type(None))
PUBLIC = ("venire", "venire.stats", "venire.votes", "venire.testing")


@pytest.fixture(scope="module", name="modules")
def modules_once():
    return all_modules()


def all_modules():
    names = [each.name for each in pkgutil.walk_packages(venire.__path__, "venire.") if "__main__" not in each.name]
    return {name: import_module(name) for name in sorted(names)}


@pytest.fixture(scope="module", name="declared")
def declared_once(modules):
    return classes_of(modules)


def classes_of(modules):
    """The classes of the package, each at the module that defines it."""
    return [
        each
        for name, module in modules.items()
        for _, each in sorted(vars(module).items())
        if isinstance(each, type) and each.__module__ == name
    ]


def kept(name, lines):
    assert_as_kept(f"declared/{name}.txt", "".join(f"{line}\n" for line in lines))


def limits_in(schema):
    """Find what a value has to be beyond its type, at any depth."""
    if isinstance(schema, list):
        return [limit for part in schema for limit in limits_in(part)]
    if not isinstance(schema, dict):
        return []
    own = [f"{name} {schema[name]}" for name in LIMITS if name in schema]
    return own + [limit for name, part in schema.items() if name != "default" for limit in limits_in(part)]


def limits_of(structure):
    try:
        (schema,), parts = msgspec.json.schema_components([structure])
    except (NameError, TypeError):  # Types that only checkers import; arrays and tables.
        return {}
    found = parts[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    return {name: limits_in(field) for name, field in found.get("properties", {}).items()}


def lines_of(structure):
    names, defaults = structure.__struct_fields__, structure.__struct_defaults__
    assumed = dict(zip(reversed(names), reversed(defaults), strict=False))
    limits, told = limits_of(structure), []
    for name in names:
        value = assumed.get(name)
        plain = [repr(value)] if is_told(value) else []
        if said := plain + limits.get(name, []):
            told.append(f"  {name}: {', '.join(said)}")
    config = structure.__struct_config__
    marks = [name for name in MARKS if getattr(config, name)] + ["is not compared by value"] * (not config.eq)
    if told or marks:
        yield " ".join((f"{structure.__module__}.{structure.__qualname__}", *marks))
        yield from told


def test_what_is_assumed_of_a_structure_and_which_values_it_takes_stay():
    # In a process of its own: what can be told of a type may depend on what other tests have imported.
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sys.path))}
    ran = subprocess.run([sys.executable, __file__], env=paths, capture_output=True, text=True, check=True)
    kept("structures", ran.stdout.splitlines())


def structure_lines():
    structures = [each for each in classes_of(all_modules()) if issubclass(each, msgspec.Struct)]
    return [line for each in structures for line in lines_of(each)]


def test_the_values_of_closed_choices_stay(declared):
    choices = [each for each in declared if issubclass(each, enum.Enum)]
    kept("choices", (f"{each.__module__}.{each.__qualname__} {[one.value for one in each]}" for each in choices))


def test_the_limits_that_reports_pages_and_errors_rest_on_stay(modules):
    found = [
        f"{name}.{limit} {value}"
        for name, module in modules.items()
        for limit, value in vars(module).items()
        if LIMIT.fullmatch(limit) and type(value) in (float, int) and f"\n{limit} = " in inspect.getsource(module)
    ]
    kept("limits", found)


def test_the_names_tables_and_numbers_that_modules_go_by_stay(modules):
    kept("constants", (line for name, module in modules.items() for line in constants_of(name, module)))


def constants_of(name, module):
    """Show what a module writes down in capitals, unless it only sets the pace."""
    for names, value in ASSIGNED.findall(Path(module.__file__).read_text("utf-8")):
        for each in names.split(", "):
            constant = vars(module).get(each, ...)
            if not (COMPUTED.search(value) or PACE.search(each)) and is_plain(constant):
                yield f"{name}.{each} {shown(constant)}"


def is_plain(value):
    """Say whether a value looks the same on every machine."""
    if isinstance(value, dict):
        return is_plain([*value, *value.values()])
    return (
        all(map(is_plain, value)) if isinstance(value, list | tuple | set | frozenset) else isinstance(value, WRITTEN)
    )


def shown(value):
    """Show a value in the same way each time; a long one by its digest."""
    told = repr(ordered(value))
    return told if len(told) <= 2000 else f"{len(told)} characters, {hashlib.sha256(told.encode()).hexdigest()[:12]}"


def ordered(value):
    """Give sets as lists."""
    if isinstance(value, dict):
        return {key: ordered(each) for key, each in value.items()}
    return sorted(value, key=repr) if isinstance(value, set | frozenset) else value


def test_what_public_functions_and_methods_assume_stays():
    offered = [(module, name) for module in PUBLIC for name in import_module(module).__all__]
    kept("functions", (line for module, name in offered for line in calls_of(f"{module}.{name}", module, name)))


def calls_of(shown, module, name):
    each = getattr(import_module(module), name)
    if inspect.isfunction(each):
        yield f"{shown}{given(each)}"
    elif isinstance(each, type):
        for method, function in vars(each).items():
            if inspect.isfunction(function) and (method == "__init__" or not method.startswith("_")):
                yield f"{shown}.{method}{given(function)}"


def given(function):
    """Show what a function takes; of what is assumed, only what looks the same everywhere."""
    parameters = [
        each.replace(
            annotation=each.empty,
            default=each.default if each.default is each.empty or isinstance(each.default, PLAIN) else ...,
        )
        for each in inspect.signature(function).parameters.values()
    ]
    return str(inspect.Signature(parameters))


def test_what_other_functions_assume_stays(modules, declared):
    functions = [each for module in modules.values() for each in vars(module).values()]
    functions += [each for structure in declared for each in vars(structure).values()]
    found = {line for each in functions for line in assumed_by(each)}
    kept("assumed", sorted(found))


def assumed_by(function):
    if inspect.isfunction(function) and function.__module__.startswith("venire."):
        parameters = inspect.signature(function).parameters.values()
        told = [f"{each.name}={each.default!r}" for each in parameters if is_told(each.default)]
        if told:
            yield f"{function.__module__}.{function.__qualname__}: {', '.join(told)}"


def is_told(value):
    return isinstance(value, PLAIN) and value not in (None, "", ())


def test_what_options_and_arguments_of_commands_take_stays():
    kept("commands", (line for name, command in commands_below("venire", cli) for line in options_of(name, command)))


def commands_below(name, command):
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for inner in command.list_commands(context):
            yield from commands_below(f"{name} {inner}", command.get_command(context, inner))


def options_of(name, command):
    for parameter in command.params:
        about = parameter.to_info_dict()
        kind = about["type"]
        limits = [f"{key}={value}" for key, value in kind.items() if key not in {"name", "param_type"} and value]
        said = [f"{key}={about[key]}" for key in SAID if about.get(key) and (key, about[key]) != ("nargs", 1)]
        yield " ".join((name, *parameter.opts, *parameter.secondary_opts, kind["param_type"], *limits, *said))


if __name__ == "__main__":
    sys.stdout.write("\n".join(structure_lines()))
