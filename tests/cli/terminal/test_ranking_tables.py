"""A ranking in the terminal: who may be first, and everything that the order rests on."""

import io

import msgspec
import numpy as np
import pytest

from venire.cli.terminal.printing import open_console
from venire.cli.terminal.ranking_tables import WIDEST_MATRIX, print_ranking
from venire.stats.comparison.both_orders import BothOrders
from venire.stats.comparison.bradley_terry import BradleyTerryFit
from venire.stats.comparison.deciding import DecidingComparisons
from venire.stats.comparison.elo import EloRatings
from venire.stats.comparison.length_control import LengthControl
from venire.stats.comparison.ranking import RankedModel, Ranking
from venire.stats.comparison.win_matrix import WinMatrix
from venire.stats.judges.bias import Bias
from venire.stats.result import Estimate
from venire.votes.beside_people import JudgeOnPairs
from venire.workflows.rank import LeftOutJudge, PairRanking


def about(value, spread=0.25):
    ends = {} if value is None or spread is None else {"low": value - spread, "high": value + spread, "level": 0.95}
    return Estimate(value=value, method="m", **ends, reason="too few" if value is None else "")


def ranking(count=3, *, best=1, reason="", clusters=6):
    names = tuple(f"m{number}" for number in range(count))
    wins = np.triu(np.full((count, count), 2.0), 1)
    models = tuple(
        RankedModel(model=name, rank=place, best=place and (best if place == 2 else place), worst=place + 1,
                    strength=about(1.0 - place), won=9, tied=8, lost=7)
        for place, name in enumerate(names, start=1)
    )  # fmt: skip
    nothing = np.zeros((count, count))
    fit = BradleyTerryFit(models=names, strengths=tuple(each.strength for each in models), covariance=nothing,
                          information=nothing, tie=about(0.0), log_likelihood=None,
                          iterations=1, converged=True, method="bt", n={})  # fmt: skip
    return Ranking(models=models, fit=fit, wins=WinMatrix(models=names[::-1], wins=wins, ties=nothing),
                   clusters=clusters, method="by strength", reason=reason)  # fmt: skip


def pairs(order=None, **more):
    usual = {"positions": (), "deciding": None, "left_out": (), "at_equal_length": None, "elo": None,
             "judges": ("oak",), "has_questions": True, "by_pair": False, "undecided": 0, "examples": ()}  # fmt: skip
    return PairRanking(ranking=order or ranking(), **usual | more)


def printed(found):
    file = io.StringIO()
    print_ranking(open_console(file=file, width=200), found)
    return file.getvalue().splitlines()


def test_the_leader_is_named_with_those_who_may_be_first_too():
    assert printed(pairs())[0] == "m0 leads 3 models in 6 comparisons, but at 95% confidence m1 may be first too."
    sure = printed(pairs(ranking(best=2)))
    assert sure[0] == "m0 is first of 3 models in 6 comparisons, at 95% confidence."


def test_without_errors_it_is_not_known_how_sure_the_order_is():
    order = ranking()
    unknown = tuple(msgspec.structs.replace(each, best=None, worst=None) for each in order.models)
    lines = printed(pairs(msgspec.structs.replace(order, models=unknown)))
    assert lines[0] == "m0 leads 3 models in 6 comparisons; how certain that is, is not known."
    assert lines[2].split()[:5] == ["m0", "1", "not", "known", "0.00"]


def test_models_stand_in_order_with_their_ranges_and_counts():
    lines = printed(pairs(ranking(best=2)))
    assert lines[1].split() == ["model", "rank", "range", "Bradley–Terry", "won", "tied", "lost"]
    assert lines[2].split() == ["m0", "1", "1–2", "0.00", "9", "8", "7"]
    assert lines[4].split() == ["m1", "2", "2–3", "−1.00", "9", "8", "7"]
    one = msgspec.structs.replace(ranking().models[0], worst=1)
    certain = msgspec.structs.replace(ranking(), models=(one, *ranking().models[1:]))
    assert printed(pairs(certain))[2].split()[:3] == ["m0", "1", "1"]


def test_without_an_order_no_rank_is_shown():
    lines = printed(pairs(ranking(reason="one model")))
    assert lines[0] == "There is no order: one model"
    assert lines[2].split()[:3] == ["m0", "not", "known"]


def test_strengths_at_equal_length_and_elo_have_columns_where_they_are_known():
    control = LengthControl(strengths={f"m{n}": about(0.5 + n, None) for n in range(3)}, doubling=about(0.5))
    lines = printed(
        pairs(
            at_equal_length=control,
            elo=EloRatings(ratings={f"m{n}": 1500.0 + n for n in range(3)}, k=4.0, initial=1500.0, n={}),
        )
    )
    assert lines[1].split() == [
        "model", "rank", "range", "Bradley–Terry", "at", "equal", "length", "Elo", "won", "tied", "lost",
    ]  # fmt: skip
    assert lines[2].split() == ["m0", "1", "1–2", "0.00", "+0.50", "1500.00", "9", "8", "7"]
    assert "Twice the length adds +0.50 (+0.25 … +0.75) to the log odds of winning." in lines


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({}, "Errors are clustered by 6 questions."),
        ({"by_pair": True}, "The table names no questions: errors are clustered by 6 pairs."),
        ({"has_questions": False}, "The table names no questions, so each comparison counts as independent"),
        ({"deciding": DecidingComparisons(leader="m0", follower="m1", count=2, comparisons=6)},
         "Without 2 of the 6 comparisons, m1 would be ahead of m0."),
        ({"deciding": DecidingComparisons(leader="m0", follower="m1", count=None, comparisons=6)},
         "No fifth of the 6 comparisons that we tried puts m1 ahead of m0."),
        ({"left_out": (LeftOutJudge(judge="oak", order=tuple("abcdef"), is_same=False),
                       LeftOutJudge(judge="elm", order=tuple("abc"), is_same=True))},
         "Without judge oak the order is: a, b, c, d, e"),
        ({"left_out": (LeftOutJudge(judge="oak", order=(), is_same=False),)}, "Without judge oak there is no order."),
        ({"left_out": (LeftOutJudge(judge="oak", order=("a",), is_same=True),)},
         "The order stays the same whichever judge is left out."),
        ({"orders": BothOrders(kept=[0], outcome=np.array([1.0]), both=4, one=3, flips=2, flipped="tie")},
         "4 pairs judged in both orders count once each; 2 changed with the order and count as a tie."),
        ({"votes": 1200, "votes_worth": 1034.56}, "The ledger also holds 1200 votes of people on pairs, worth 1,034.6"),
        ({"votes": 2, "votes_worth": 1.5, "by": "people"}, "2 votes of people on pairs count; older ones count less"),
        ({"beside_people": (JudgeOnPairs(judge="oak", pairs=5, agreement=about(0.5, None), kappa=about(0.25)),)},
         "Judge oak prefers what most people prefer in 50.0 % of 5 pairs"),
        ({"self_judged": 3}, "Left out: 3 judgements of a judge on its own model."),
        ({"undecided": 2, "examples": ("both", "?")}, "Left out: 2 rows without a winner or a tie: both, ?"),
    ],
)  # fmt: skip
def test_what_the_order_rests_on_is_told_where_it_is_so(terms, said):
    lines = printed(pairs(**terms))
    assert [line for line in lines if line.replace("1,200", "1200").startswith(said)]
    told = [line for line in lines if line.endswith(".") or ":" in line]
    assert "Method: by strength" in told
    assert len(told) == (3 if "Errors" in said or "table names" in said else 4)


def test_a_judges_preference_for_the_first_place_is_told_with_its_flips():
    def lean(value):
        return Bias(name="position", judge="oak", estimate=about(value, 0.125), observations=8, smallest=2, meaning="")

    lines = printed(pairs(positions=((lean(0.25), lean(0.5)),)))
    assert (
        "Judge oak prefers the first place by +25.0 pp (+12.5 pp … +37.5 pp) (0 is fair); "
        "of 8 pairs, 50.0 % (37.5 % … 62.5 %) change their outcome with the order."
    ) in lines
    unknown = printed(pairs(positions=((lean(None), lean(0.5)),)))
    assert "Judge oak: preference for the first place unknown (too few)" in unknown


def test_a_matrix_of_many_models_is_left_out():
    widest = printed(pairs(ranking(WIDEST_MATRIX)))
    assert [line for line in widest if line.split()[:3] == ["model", "m0", "m1"]]
    many = printed(pairs(ranking(WIDEST_MATRIX + 1)))
    assert not [line for line in many if line.split()[:3] == ["model", "m0", "m1"]]
    assert many[-1] == "The win matrix is shown for up to 12 models; `--json` writes it for any number."


def test_without_an_order_nothing_is_said_about_its_stability():
    same = (LeftOutJudge(judge="oak", order=(), is_same=True), LeftOutJudge(judge="elm", order=(), is_same=True))
    told = printed(pairs(ranking(reason="only won", clusters=0), left_out=same))
    assert told[0].startswith("There is no order")
    assert not [line for line in told if "stays the same" in line or "clustered by 0" in line]
    assert [line for line in printed(pairs(left_out=same)) if "stays the same" in line]
