"""Comparisons by judged pairs in the terminal: two models, every two, and two runs."""

import io

import pytest

from golden_values import assert_as_kept
from venire.cli.terminal.pair_tables import MOST_ROWS, print_all_models, print_models, print_pair_runs
from venire.cli.terminal.printing import open_console
from venire.stats.pairwise.head_to_head import HeadToHead
from venire.stats.pairwise.strength_change import StrengthChange
from venire.stats.result import Estimate
from venire.workflows.comparison.compared_models import ComparedModels, JudgedMatch, ModelsComparison
from venire.workflows.comparison.compared_pair_runs import PairRunsComparison, SamePairs

UNKNOWN = Estimate.unknown("m", "too few")


def about(value, spread=0.25):
    return Estimate(value=value, method="m", low=value - spread, high=value + spread, level=0.95)


def match(won=3.0, tied=1.5, lost=2.0):
    return HeadToHead(model="b", other="a", won=won, tied=tied, lost=lost, share=about(0.6), ties=about(0.25, 0.05),
                      p_value=0.25)  # fmt: skip


def two(first="alder", second="birch", difference=0.5, p_value=0.04, **more):
    estimate = UNKNOWN if difference is None else about(difference)
    return ComparedModels(
        first=first, second=second, match=match(), difference=estimate, p_value=p_value, adjusted_p=p_value, **more
    )


def models(*compared, order=("alder", "birch"), reason="", notes=("A note.",)):
    return ModelsComparison(compared=compared, order=order, reason=reason, comparisons=41, notes=notes)


def runs(*changes, pairs=7, only_first=(), only_second=()):
    same = SamePairs(pairs=pairs, same=about(0.75, 0.125), kappa=about(0.5))
    return PairRunsComparison(first="old.csv", second="new.csv", changes=changes, same=same, only_first=only_first,
                              only_second=only_second, notes=())  # fmt: skip


def change(model, value, p_value):
    estimate = UNKNOWN if value is None else about(value)
    return StrengthChange(
        model=model, before=about(1.0), after=about(1.5), change=estimate, p_value=p_value, adjusted_p=p_value
    )


def printed(show, found):
    file = io.StringIO()
    show(open_console(file=file, width=120), found)
    return "".join(f"{line.rstrip()}\n" for line in file.getvalue().splitlines())


def test_two_models_are_told_apart_only_below_the_level():
    judges = (JudgedMatch(judge="oak", match=match(3, 0, 1), adjusted_p=0.5),)
    shown = [
        models(two(), order=("birch", "alder", "cedar")),
        models(two(difference=-0.5, p_value=0.05)),
        models(two(difference=0.0, p_value=None, judges=judges)),
        models(two(difference=None), reason="no order"),
    ]
    assert_as_kept("printed/pair_tables_two.txt", "\n".join(printed(print_models, found) for found in shown))


def test_two_runs_name_the_models_that_changed():
    shown = [
        runs(change("alder", 0.5, 0.04), change("birch", -0.5, 0.05)),
        runs(change("alder", 0.5, 0.05), pairs=0, only_first=("cedar",), only_second=("fir", "elm")),
        runs(change("alder", 0.5, 0.01), change("birch", None, None)),
    ]
    assert_as_kept("printed/pair_tables_runs.txt", "\n".join(printed(print_pair_runs, found) for found in shown))


def every_two(count):
    names = tuple(f"m{number}" for number in range(count))
    pairs = [(first, second) for place, second in enumerate(names) for first in names[place + 1 :]]
    assert len(pairs) == count * (count - 1) // 2
    return models(*(two(*pair, p_value=0.05 if pair[1] == "m0" else 0.01) for pair in pairs), order=names)


@pytest.mark.parametrize(("count", "rows"), [(8, MOST_ROWS), (9, 8)])
def test_of_more_than_eight_models_only_neighbours_are_shown(count, rows):
    lines = printed(print_all_models, every_two(count)).splitlines()
    assert sum(line.startswith("m") and line.split()[1].startswith("m") for line in lines[2:]) == rows
    told = MOST_ROWS - 7 if count == 8 else 28
    assert f"{told} of {count * (count - 1) // 2} pairs of models" in lines[0]
    assert any("36" in line for line in lines[1:]) == (count == 9)


def test_without_an_order_the_reason_is_given_instead_of_a_count():
    found = models(two(), reason="no order")
    assert "no order" in printed(print_all_models, found).splitlines()[0]
