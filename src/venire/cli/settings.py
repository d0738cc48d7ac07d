"""The argument that commands on a run share: the configuration file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

config_argument = click.argument(
    "config", type=click.Path(path_type=Path), default=Path("venire.yaml"), metavar="[CONFIG]"
)
"""The configuration file; `venire.yaml` in this folder unless another is named."""

renormalise_option = click.option(
    "--renormalise", is_flag=True, help="Rescale the panel's weights to sum to 1, and say so."
)


def load(config: Path, *, renormalise: bool = False, need_keys: bool = True) -> Any:
    """Load the configuration, saying so where weights were rescaled."""
    from venire.config import load_settings

    settings = load_settings(config, renormalise=renormalise, need_keys=need_keys)
    if renormalise:
        listed = ", ".join(f"{judge.name} {judge.weight:.4g}" for judge in settings.judges)
        click.echo(f"weights rescaled to sum to 1: {listed}", err=True)
    return settings
