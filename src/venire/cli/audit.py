"""`venire audit`: verify a ledger, sign its head, and hold it against checkpoints that were kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from venire.cli.command import HelpedCommand
from venire.cli.terminal.printing import BAD, GOOD, echo
from venire.errors import UsageError

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
    from venire.ledger.location import open_ledger, shown_location
    from venire.workflows.audit import audit as audit_ledger

    kept = [_read_checkpoint(path, public_key) for path in against]
    opened = open_ledger(ledger, read_only=True)
    try:
        result = audit_ledger(opened, kept)
    finally:
        opened.close()
    _print_result(result, against)
    if checkpoint is not None:
        if not result.intact:
            raise UsageError("a damaged ledger is not signed", where=shown_location(ledger))
        _write_checkpoint(result, checkpoint, key)
    return 0 if result.intact else 1


def _read_checkpoint(path: Path, public_key: str | None) -> Checkpoint:
    from venire.ledger.checkpoint import decode_checkpoint, verify_checkpoint

    found = decode_checkpoint(path.read_bytes(), str(path))
    verify_checkpoint(found, public_key or found.public_key, str(path))
    if public_key is None:
        echo(f"{path}: signed by {found.public_key}; compare it with the key you trust, or name it by --public-key")
    return found


def _print_result(result: LedgerAudit, against: tuple[Path, ...]) -> None:
    counts = ", ".join(f"{count} {kind}" for kind, count in result.counts.items())
    broken = result.chain.first_broken
    if broken is None:
        echo(GOOD, f" {result.chain.count} entries, every link holds ({counts})")
    else:
        echo(
            BAD,
            f" the chain breaks at entry {broken.sequence}: {broken.damage.value}; expected {broken.expected}, "
            f"found {broken.found}",
        )
    for problem in result.storage:
        echo(BAD, f" stored wrongly: {problem}")
    state = BAD if result.underived else GOOD
    echo(state, f" {result.judged_again} judgements derived again, {len(result.underived)} do not follow")
    for judgement in result.underived[:10]:
        echo(f"  entry {judgement.sequence}: {judgement.problem}")
    if result.counts.get("run_opened"):
        echo(f"  {result.completeness}")
    for path, outcome in zip(against, result.chain.checkpoints, strict=True):
        words = (
            outcome.problem or f"nothing up to entry {outcome.checkpoint.sequence} was changed, dropped or reordered"
        )
        echo(GOOD if outcome.kept else BAD, f" {path}: {words}")
    echo(f"head {result.chain.head.sequence} {result.chain.head.hash}")


def _write_checkpoint(result: LedgerAudit, path: Path, key_path: Path) -> None:
    from datetime import UTC, datetime

    from venire.ledger.checkpoint import create_key, encode_checkpoint, load_key, sign_checkpoint

    if not key_path.exists():
        create_key(key_path)
        echo(f"made the signing key {key_path}; keep it away from whoever writes the ledger")
    signed = sign_checkpoint(result.chain.head, result.chain.merkle_root, load_key(key_path), datetime.now(UTC))
    path.write_bytes(encode_checkpoint(signed))
    echo(f"checkpoint {path}, signed by {signed.public_key}")
