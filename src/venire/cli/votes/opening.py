"""`venire votes open`: put outputs to the vote, and let people vote on them at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.language import language
from venire.cli.arguments.settings import id_from_row_option
from venire.cli.arguments.sources import name_values
from venire.cli.terminal.printing import tell
from venire.cli.votes.options import read_prompt, read_questions

if TYPE_CHECKING:
    from venire.domain.vote import VoterPrompt
    from venire.errors import InputError

SCALES = {"yes-no": "yes_no", "1-5": "five", "0-1": "unit", "pairs": "pairs"}
"""How people may answer, as the command line and as the server call it."""
_HINTS = {
    "error.sample.no_id.hint": "error.votes.no_id.hint",
    "error.sample.no_text.hint": "error.votes.no_text.hint",
    "error.sample.no_columns.hint": "error.votes.no_columns.hint",
    "error.sample.duplicate_id.hint": "error.votes.duplicate_id.hint",
}
"""What is advised here instead of changes to a configuration."""


@click.command("open", cls=HelpedCommand)
@click.argument("collection", type=click.Path(path_type=Path))
@click.argument("ledger", required=False)
@click.option("--column", "columns", multiple=True, callback=name_values, metavar="FIELD=COLUMN")
@id_from_row_option
@click.option("--prompt")
@click.option("--prompt-text", metavar="ID=FILE")
@click.option("--question", "questions", metavar="[LANGUAGE=]TEXT", multiple=True)
@click.option("--serve", "is_served", is_flag=True)
@click.option("--scale", type=click.Choice(list(SCALES)), default="yes-no", show_default=True)
@click.option("--invitations", type=click.IntRange(0, 10_000), default=0)
@click.option("--host")
@click.option("--port", type=click.IntRange(1, 65535))
@click.option("--public-url", metavar="URL")
def open_command(
    collection: Path,
    ledger: str | None,
    columns: dict[str, str],
    id_from_row: bool,
    prompt: str | None,
    prompt_text: str | None,
    questions: tuple[str, ...],
    is_served: bool,
    scale: str,
    invitations: int,
    host: str | None,
    port: int | None,
    public_url: str | None,
) -> None:
    """Put the outputs of COLLECTION, a table or folder, to the vote; without LEDGER, also serve them to voters."""
    compares = scale == "pairs"
    asked = _asked(prompt, prompt_text, questions, compares=compares)
    place = ledger or ledger_beside(collection)
    reading = {"columns": columns, "id_from_row": id_from_row}
    if ledger is None or is_served:
        from venire.cli.serve import require_server, serve_votes
        from venire.server.config_file import load_options

        require_server()  # Before anything is written.
        open_collection(collection, place, asked, compares=compares, **reading)
        said = {"host": host, "port": port, "public_url": public_url, "language": language()}
        options = load_options(None, ledger=place, voter_prompt=asked, vote_scale=SCALES[scale], **said)
        serve_votes(options, invitations)
        return
    open_collection(collection, place, asked, compares=compares, **reading)


def _advised(error: InputError, collection: Path) -> InputError:
    """Return an error on a table with advice that names what this command takes, and not a configuration."""
    from venire.words.said import Said, say

    if isinstance(error.hint, Said) and error.hint.code in _HINTS:
        error.hint = say(_HINTS[error.hint.code], **{**error.hint.values, "file": str(collection)})
    return error


def ledger_beside(collection: Path) -> str:
    """Return the ledger that holds the votes on a collection, in the folder where the command was given."""
    return f"{collection.stem or 'outputs'}.votes.sqlite"


def _asked(prompt: str | None, prompt_text: str | None, questions: tuple[str, ...], *, compares: bool) -> VoterPrompt:
    """Return what voters are asked: as somebody chose in one of three ways, or the question of the scale."""
    from venire.errors import UsageError
    from venire.protocols.voter_prompts import bundled_prompt

    if sum(map(bool, (prompt, prompt_text, questions))) > 1:
        raise UsageError("error.cli.one_prompt")
    if prompt_text:
        return read_prompt(prompt_text)
    if questions:
        return read_questions(questions, language())
    return bundled_prompt(prompt or ("prefer-en-zh" if compares else "grand-jury-en-zh"), first=language())


def open_collection(
    collection: Path, ledger: str, asked: VoterPrompt, *, compares: bool = False, **reading: Any
) -> None:
    """Put outputs into a ledger, which is made if it does not exist, and say how many are new.

    If voters compare, every two models' outputs to one question are put together too. `reading` says how a table is
    read.
    """
    from venire.domain.material import MaterialKind
    from venire.errors import InputError
    from venire.inputs.pairs import PairPlan, read_pairs
    from venire.inputs.reader import read_samples
    from venire.inputs.tables.materials import MaterialTerms
    from venire.workflows.import_votes import open_voting
    from venire.workflows.ledgers import opened_ledger

    try:
        samples = list(read_samples(collection, materials=MaterialTerms(frozenset(MaterialKind)), **reading))
    except InputError as error:
        raise _advised(error, collection) from None
    with opened_ledger(ledger) as opened:
        new = open_voting(opened, samples, asked)
        if compares:
            where, plan = str(collection), PairPlan(order="fixed")
            pairs = list(read_pairs(samples, plan, seed=0, where=where, on_problem=None))
            if not pairs:
                raise InputError("error.pair.nothing_to_compare", where=where)
            fresh = open_voting(opened, pairs, asked)
    known = len(samples) - new
    tell("votes.opened" if known else "votes.opened_new", new=new, ledger=ledger, known=known)
    if compares:
        known = len(pairs) - fresh
        tell("votes.opened_pairs" if known else "votes.opened_pairs_new", new=fresh, known=known)
    tell("votes.asked_under", id=asked.id, question=asked.question)
