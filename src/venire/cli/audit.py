"""`venire audit`: verify a ledger, sign its head, and hold it against checkpoints that were kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.language import words
from venire.cli.terminal.printing import BAD, GOOD, echo, tell
from venire.errors import UsageError
from venire.words.said import say

if TYPE_CHECKING:
    from venire.ledger.checkpoint import Checkpoint
    from venire.workflows.audit import LedgerAudit


@click.command(cls=HelpedCommand)
@click.argument("ledger")
@click.option("--checkpoint", type=click.Path(path_type=Path))
@click.option("--key", type=click.Path(path_type=Path), default=Path("venire-audit.key"), show_default=True)
@click.option("--against", multiple=True, type=click.Path(path_type=Path, exists=True))
@click.option("--public-key")
def audit(ledger: str, checkpoint: Path | None, key: Path, against: tuple[Path, ...], public_key: str | None) -> int:
    """Verify a ledger: every link, how it is stored, and every judgement derived again from its reply."""
    from venire.workflows.audit import audit as audit_ledger
    from venire.workflows.ledgers import opened_ledger, shown_location

    kept = [_read_checkpoint(path, public_key) for path in against]
    with opened_ledger(ledger, read_only=True) as opened:
        result = audit_ledger(opened, kept)
    _print_result(result, against)
    if checkpoint is not None:
        if not result.intact:
            raise UsageError("error.audit.not_signed", where=shown_location(ledger))
        _write_checkpoint(result, checkpoint, key)
    return 0 if result.intact else 1


def _read_checkpoint(path: Path, public_key: str | None) -> Checkpoint:
    from venire.workflows.audit import read_checkpoint

    found = read_checkpoint(path, public_key)
    if public_key is None:
        tell("audit.signed_by", path=str(path), key=found.public_key)
    return found


def _print_result(result: LedgerAudit, against: tuple[Path, ...]) -> None:
    broken = result.chain.first_broken
    if broken is None:
        counts = tuple(f"{count} {kind}" for kind, count in result.counts.items())
        tell("audit.links_hold", mark=GOOD, entries=result.chain.count, counts=counts)
    else:
        damage, expected = broken.damage.value, broken.expected
        tell("audit.broken", mark=BAD, sequence=broken.sequence, damage=damage, expected=expected, found=broken.found)
    for problem in result.storage:
        tell("audit.stored_wrongly", mark=BAD, problem=problem)
    state = BAD if result.underived else GOOD
    tell("audit.derived", mark=state, again=result.judged_again, underived=len(result.underived))
    for judgement in result.underived[:10]:
        tell("audit.underived", sequence=judgement.sequence, problem=judgement.problem)
    if result.counts.get("qualification"):
        tell("audit.qualified", again=result.qualified_again, recorded=result.counts["qualification"])
    if result.counts.get("canaries"):
        tell("audit.anchors", again=result.anchors_again, recorded=result.counts["canaries"])
    if result.counts.get("run_opened"):
        echo("  ", words().of(result.completeness.said()))
    for path, outcome in zip(against, result.chain.checkpoints, strict=True):
        kept = outcome.problem or say("audit.unchanged", sequence=outcome.checkpoint.sequence)
        tell("audit.checkpoint", mark=GOOD if outcome.kept else BAD, path=str(path), outcome=kept)
    tell("audit.head", sequence=result.chain.head.sequence, hash=result.chain.head.hash)


def _write_checkpoint(result: LedgerAudit, path: Path, key_path: Path) -> None:
    from datetime import UTC, datetime

    from venire.workflows.audit import create_key, write_checkpoint

    if not key_path.exists():
        create_key(key_path)
        tell("audit.made_key", path=str(key_path))
    signed = write_checkpoint(result, path, key_path, datetime.now(UTC))
    tell("audit.wrote_checkpoint", path=str(path), key=signed.public_key)
