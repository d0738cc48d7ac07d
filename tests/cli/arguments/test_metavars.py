"""What stands for the value of an option in help."""

import click
import pytest

from venire.cli.arguments.metavars import metavar_of


@pytest.mark.parametrize(
    ("names", "options", "shown"),
    [
        (["-s", "--seed"], {"type": int}, "NUMBER"),
        (["--seed", "-s"], {"type": int}, "NUMBER"),
        (["--seed"], {"type": int, "metavar": "SEED"}, "SEED"),
        (["--quiet"], {"is_flag": True}, None),
        (["--samples"], {"type": click.Path()}, "FILE|FOLDER"),
        (["--samples"], {"type": click.Path(dir_okay=False)}, "FILE"),
        (["--documents"], {"type": click.Path()}, "FOLDER"),
        (["--anything"], {"type": click.Path(file_okay=False)}, "FOLDER"),
        (["--anything"], {"type": click.Path()}, "FILE"),
    ],
)
def test_an_option_says_by_its_long_name_and_its_type_what_it_takes(names, options, shown):
    assert metavar_of(click.Option(names, **options)) == shown
