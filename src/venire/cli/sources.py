"""Where numbers come from: a ledger, a table of scores, or a configuration whose ledger is meant."""

from __future__ import annotations

from pathlib import Path


def locate_source(source: str) -> tuple[str, bool]:
    """Return the location of the ledger or table, and whether the configuration counts recovered judgements."""
    if not source.lower().endswith((".yaml", ".yml")):
        return source, False
    from venire.config import load_settings

    settings = load_settings(Path(source), need_keys=False, renormalise=True)
    return settings.ledger, settings.config.count_recovered
