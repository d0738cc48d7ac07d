"""What help shows in the place of an option's value: `--scale LOW HIGH`, not `--scale FLOAT...`."""

from __future__ import annotations

import click

_BY_OPTION = {
    "batch": "vote|COUNT|DURATION",
    "bucket": "DURATION",
    "category": "CATEGORY",
    "config": "CONFIG",
    "count": "COUNT",
    "critical-variance": "VARIANCE",
    "curator": "PSEUDONYM",
    "days": "DAYS",
    "decay": "RATE|HALF-LIFE",
    "factor": "COLUMN",
    "flipped": "SHARE",
    "host": "HOST",
    "invitations": "COUNT",
    "judge": "JUDGE",
    "lang": "LANGUAGE",
    "least-ballots": "COUNT",
    "ledger": "LEDGER",
    "level": "LEVEL",
    "limit": "ROWS",
    "n": "COUNT",
    "name": "NAME",
    "note": "WORDS",
    "pattern": "PATTERN",
    "port": "PORT",
    "profile": "PROFILE",
    "prompt": "ID",
    "protocol": "PROTOCOL",
    "public-key": "KEY",
    "replicates": "COUNT",
    "scale": "SCALE",
    "seed": "NUMBER",
    "structure": "DIMENSION",
    "url": "URL",
    "voter": "VOTER",
    "window": "DURATION",
    "workers": "COUNT",
    "wrong": "SHARE",
    "zone": "ZONE",
}
"""What the value of an option is, where its type alone does not say it."""

_FOLDERS = {"archive", "documents"}
_EITHER = {"outputs", "samples", "sources"}


def metavar_of(option: click.Option) -> str | None:
    """Return what stands for an option's value in help; nothing where click shows the choices themselves.

    >>> metavar_of(click.Option(["--seed"], type=int))
    'NUMBER'
    """
    if option.metavar or option.is_flag or option.count or isinstance(option.type, click.Choice):
        return option.metavar
    name = max(option.opts, key=len).lstrip("-")
    if isinstance(option.type, click.Path) and name not in _BY_OPTION:
        if name in _EITHER and option.type.dir_okay:
            return "FILE|FOLDER"
        return "FOLDER" if name in _FOLDERS or not option.type.file_okay else "FILE"
    return _BY_OPTION[name]
