"""`venire compare`: two runs, models, variants or versions of a judge, with intervals; and who beats whom."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.sources import locate_source, table_choices, table_options, version_option
from venire.cli.terminal.files import put_file
from venire.cli.terminal.printing import open_console
from venire.errors import UsageError

if TYPE_CHECKING:
    from venire.reports.report import Choices

_MODES = ("judge_versions", "models", "variants", "pairwise")
_OF_SCORES = ("judge_versions", "variants", "labels", "sequential", "difference", "scale", "overall")
"""Options that make sense for scores only."""


@click.command(cls=HelpedCommand)
@click.argument("sources", nargs=-1, required=True, metavar="LEDGER [LEDGER]")
@click.option("--judge-versions", nargs=2, metavar="OLD NEW")
@click.option("--models", nargs=2, metavar="A B")
@click.option("--variants", nargs=2, metavar="A B")
@click.option("--pairwise", is_flag=True)
@click.option(
    "--anchors", type=click.Path(path_type=Path, dir_okay=False),
)  # fmt: skip
@click.option("--labels", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--sequential", is_flag=True)
@click.option("--bayesian", is_flag=True)
@click.option("--difference", type=float, metavar="POINTS")
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--protocol", default="")
@click.option("--factor", "factors", multiple=True)
@click.option("--count-recovered", is_flag=True)
@version_option
@table_options
def compare(sources: tuple[str, ...], anchors: Path | None, json_file: Path | None, **options: Any) -> int:
    """Compare two ledgers, or two sides of one, in pairs where samples match."""
    from venire.reports.report import Choices

    located = [locate_source(source) for source in sources]
    recovered = options["count_recovered"] or any(each.count_recovered for each in located)
    choices = Choices(
        protocol=options["protocol"],
        factors=options["factors"],
        judge_versions=options["judge_version"],
        count_recovered=recovered,
        bayesian=options["bayesian"],
        **table_choices(options),
    )
    locations = [each.location for each in located]
    mode = _mode(options, len(sources), anchored=anchors is not None)
    if _are_pairs(locations, choices):
        result = _compare_pairs(mode, locations, options, anchors, choices)
    else:
        result = _compare(mode, locations, options, anchors, choices)
    if json_file is not None:
        import msgspec

        from venire.words.said import as_text

        put_file(json_file, msgspec.json.format(msgspec.json.encode(result, enc_hook=as_text), indent=1) + b"\n")
    return 0


def _are_pairs(locations: list[str], choices: Choices) -> bool:
    """Tell whether the sources hold judged pairs; raises `UsageError` if only one of two does."""
    from venire.workflows.comparison.source_pairs import holds_pairs

    found = [holds_pairs(location, choices) for location in locations]
    if any(found) and not all(found):
        pairs, scores = locations[found.index(True)], locations[found.index(False)]
        raise UsageError("error.compare.pairs_and_scores", pairs=pairs, scores=scores)
    return any(found)


def _compare_pairs(
    mode: str, locations: list[str], options: dict[str, Any], anchors: Path | None, choices: Choices
) -> object:
    from venire.cli.terminal.pair_tables import print_all_models, print_models, print_pair_runs
    from venire.workflows.comparison.compared_models import compare_all_models, compare_models
    from venire.workflows.comparison.compared_pair_runs import compare_pair_runs

    for name, given in (*((name, options[name]) for name in _OF_SCORES), ("anchors", anchors)):
        if given not in (None, False, (), ""):
            raise UsageError("error.compare.not_for_pairs", option=f"--{name.replace('_', '-')}")
    console = open_console()
    if mode == "runs":
        runs = compare_pair_runs(locations[0], locations[1], choices)
        print_pair_runs(console, runs)
        return runs
    if mode == "models":
        first, second = options["models"]
        models = compare_models(locations[0], first, second, choices)
        print_models(console, models)
        return models
    models = compare_all_models(locations[0], choices)
    print_all_models(console, models)
    return models


def _mode(options: dict[str, Any], sources: int, *, anchored: bool) -> str:
    asked = [name for name in _MODES if options[name]]
    options_of_modes = tuple(f"--{name.replace('_', '-')}" for name in _MODES)
    if len(asked) > 1 or (asked and sources != 1):
        raise UsageError("error.compare.one_ledger", options=options_of_modes)
    if not asked and sources > 2:
        raise UsageError("error.compare.two_ledgers", found=sources, options=options_of_modes)
    if anchored and asked:
        raise UsageError("error.compare.anchors_alone")
    for name in ("labels", "sequential", "bayesian", "difference"):
        if (
            options[name] is not None
            and options[name] is not False
            and asked
            and asked[0] in ("judge_versions", "pairwise")
        ):
            raise UsageError("error.compare.not_in_mode", option=f"--{name}")
    return asked[0] if asked else "runs" if sources == 2 else "all"


def _compare(mode: str, located: list[str], options: dict[str, Any], anchors: Path | None, choices: Choices) -> object:

    from venire.cli.terminal.comparison_tables import print_comparison, print_judges, print_pairwise

    if mode == "all":
        modes = tuple(f"--{name.replace('_', '-')}" for name in _MODES)
        raise UsageError("error.compare.two_ledgers", found=len(located), options=modes)
    console = open_console()
    if mode == "judge_versions":
        from venire.workflows.comparison.judges import compare_judges

        old, new = options["judge_versions"]
        judges = compare_judges(located[0], old, new, choices)
        print_judges(console, judges)
        return judges
    if mode == "pairwise":
        from venire.workflows.comparison.pairwise import comparisons_record, pairwise_models

        models = pairwise_models(located[0], choices)
        print_pairwise(console, models)
        return comparisons_record(models)
    from venire.workflows.compare import compare_levels, compare_runs
    from venire.workflows.evidence.from_source import read_anchors
    from venire.workflows.evidence.label_file import read_labels

    labels = read_labels(options["labels"]) if options["labels"] else ()
    if mode == "runs":
        frozen = read_anchors(anchors) if anchors else frozenset[str]()
        found = compare_runs(
            located[0], located[1], choices, anchors=frozen, labels=labels, sequential=options["sequential"]
        )
    else:
        factor = {"models": "target_model", "variants": "prompt_variant"}[mode]
        first, second = options[mode]
        found = compare_levels(
            located[0], factor, first, second, choices, labels=labels, sequential=options["sequential"]
        )
    if options["difference"] is not None:
        from venire.workflows.comparison.result import with_stated

        found = with_stated(found, options["difference"])
    print_comparison(console, found)
    return found
