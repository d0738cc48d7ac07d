"""`venire init`: a commented starter configuration, for the table of outputs that lies beside it."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.language import language, words
from venire.cli.terminal.files import put_file
from venire.cli.terminal.printing import echo, tell
from venire.errors import UsageError, os_reason
from venire.words.language import DEFAULT

if TYPE_CHECKING:
    from venire.inputs.found_tables import FoundTable

_PROTOCOLS = {"documents": "grounded", "conversation": "conversation", "references": "answer"}
"""The protocol that a table is first judged by, if it has such a column."""
_DRIFT = "\nprotocol: drift-sample\n"
"""The protocol of the starter: for outputs of one task under prompts that vary."""


@click.command(cls=HelpedCommand)
@click.argument("path", type=click.Path(path_type=Path), default=Path("venire.yaml"), metavar="[PATH]")
def init(path: Path) -> None:
    """Write a starter configuration with every key explained."""
    from venire.inputs.found_tables import find_tables

    if path.exists():
        raise UsageError("error.cli.init_exists", where=str(path))
    text = starter("venire")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        tables, others = find_tables(path.parent)
    except OSError as error:
        raise UsageError("error.cli.not_written", where=str(path), reason=os_reason(error)) from None
    put_file(path, for_table(text.decode(), tables[0]).encode() if tables else text)
    if tables:
        _tell_table(tables[0])
    for other in others if not tables else ():
        echo(words()("init.passed_over", reason=other.said(words())))
    if len(tables) > 1:
        tell("init.several", tables=tuple(table.name for table in tables[1:]))
    tell("init.wrote" if tables or not others else "init.wrote_unnamed", path=str(path))


def starter(name: str) -> bytes:
    """Return a file to begin with in the language of the command, or in English where there is none in it."""
    starters = files("venire.cli").joinpath("starters")
    own = starters.joinpath(f"{name}.{language()}.yaml")
    return (own if own.is_file() else starters.joinpath(f"{name}.{DEFAULT}.yaml")).read_bytes()


def for_table(text: str, table: FoundTable) -> str:
    """Return the starter with a table as its samples: numbered if it has no ids, under the protocol that it suits."""
    name = table.name if re.fullmatch(r"[\w-]+(\.[\w-]+)+", table.name) else json.dumps(table.name, ensure_ascii=False)
    text = text.replace("  path: outputs.jsonl\n", f"  path: {name}\n", 1)
    if "output_id" not in table.columns:
        text = text.replace("  # id_from_row: true  ", "  id_from_row: true    ", 1)
    if table.encoding:
        text = text.replace("  # encoding: gb18030", f"  encoding: {table.encoding}", 1)
    if field := _material_of(table):
        return text.replace(_DRIFT, f"\nprotocol: {_PROTOCOLS[field]}\n", 1)
    return text if "prompt_variant" in table.columns else _with_own_questions(text)


def _with_own_questions(text: str) -> str:
    """Return the starter with the rubric that stands in its comments instead of the one for prompts that drift."""
    start = text.index("# protocol:\n")
    end = text.index(_DRIFT) + 1
    rubric = re.sub("^# ", "", text[start:end], flags=re.MULTILINE)
    return text[:start] + rubric + text[end + len(_DRIFT) - 1 :]


def _material_of(table: FoundTable) -> str | None:
    return next((field for field in _PROTOCOLS if field in table.columns), None)


def _tell_table(table: FoundTable) -> None:
    tell("init.table", table=table.name)
    if "output_id" not in table.columns:
        tell("init.numbered")
    if table.encoding:
        tell("init.encoding", encoding=table.encoding)
    if field := _material_of(table):
        tell(f"init.protocol_{field}", protocol=_PROTOCOLS[field], column=table.columns[field])
    elif "prompt_variant" not in table.columns:
        tell("init.protocol_own")
