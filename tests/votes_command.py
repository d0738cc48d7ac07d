"""`venire votes` run inside of a test."""

from click.testing import CliRunner, Result

from venire.cli.votes.commands import votes


def run_votes(*args: object, code: int = 0) -> Result:
    """Run a command and return what came of it; raises what it raised, and expects this exit code."""
    result = CliRunner().invoke(votes, [str(arg) for arg in args], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    assert (result.return_value or 0) == code, result.output
    return result
