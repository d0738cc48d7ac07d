"""The lights of the first screen: each rests on something that was looked at, and says so where nobody looked."""

from __future__ import annotations

from types import SimpleNamespace

import msgspec
import pytest

from report_ledger import design, labels_of, scoring, write_ledger
from venire.reports.cells import estimate_cell, make_table, number_cell, word_cell
from venire.reports.report import Choices, ReportCell, Rows
from venire.reports.sections import trust
from venire.stats import Estimate
from venire.workflows.analyse import analyse


def lights(report):
    return {row.names[0]: (row.cells[0].word.removeprefix("state."), row.cells[2].text) for row in
            report.table("trust").rows}  # fmt: skip


def test_invalid_replies_are_a_blemish_or_a_hole(report):
    state, figure = lights(report)["valid"]
    passed, total = map(int, figure.split(" / "))
    assert state == "poor"
    assert passed < 0.95 * total


def test_a_whole_run_is_complete_and_valid(tmp_path):
    path = write_ledger(tmp_path / "l.sqlite", design(), {"oak": scoring(), "elm": scoring()})
    found = lights(analyse(path, Choices()))
    assert found["complete"][0] == found["valid"][0] == "good"
    assert found["repeats"] == ("unknown", "–")
    assert found["people"] == ("poor", "0")


def test_labels_by_people_change_the_light(report):
    state, figure = lights(report)["people"]
    assert figure.startswith("r ")
    assert state in {"good", "middling"}
    assert len(labels_of(design())) > 0


def retests(*rows):
    drafts = [
        ((f"judge{place}",), [_cell(exact, pairs), number_cell(icc, Rows(), "coefficient")])
        for place, (exact, pairs, icc) in enumerate(rows)
    ]
    return make_table("retests", ("rater",), ("exact_match", "retest_icc"), drafts)


def _cell(value, pairs):
    return ReportCell(id="", unit="share", value=value, n={"values": pairs})


@pytest.mark.parametrize(
    ("rows", "state", "figure"),
    [
        ([(1.0, 9, None), (1.0, 50, 1.0)], "unknown", "9 / 10"),
        ([(1.0, 10, None)], "good", "100 %"),
        ([(0.9, 10, 0.95), (0.8, 10, 0.8)], "good", "ICC 0.80"),
        ([(0.9, 10, 0.95), (0.8, 10, 0.3)], "poor", "ICC 0.30"),
        ([(0.9, 10, 0.95), (0.8, 10, None)], "unknown", "–"),
    ],
)
def test_judges_repeat_themselves_only_if_the_worst_one_does(rows, state, figure):
    found = trust._repeats(retests(*rows))
    assert (found.state, found.figure) == (state, figure)


def alpha(value, size, units):
    cell = ReportCell(id="", unit="coefficient", value=value, n={"units": units})
    drafts = [(("overall",), [cell, word_cell(f"reliability.{size}", Rows())])]
    return make_table("alpha", ("dimension",), ("alpha", "band"), drafts)


class TwoJudges(msgspec.Struct):
    """As much of the evidence as agreement asks for."""

    raters: tuple[str, ...] = ("a", "b")

    @property
    def primary(self):
        return self


@pytest.mark.parametrize(
    ("size", "units", "state"),
    [("very-high", 10, "good"), ("high", 10, "good"), ("moderate", 10, "middling"), ("low", 10, "poor"),
     ("very-low", 10, "poor"), ("very-high", 9, "unknown")],
)  # fmt: skip
def test_agreement_has_the_state_of_its_band(size, units, state):
    assert trust._agree(TwoJudges(), alpha(0.5, size, units)).state == state


def test_one_judge_agrees_with_nobody():
    assert trust._agree(TwoJudges(("a",)), None).state == "unknown"


def test_a_table_of_scores_knows_nothing_of_replies(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("item,model,judge,score\n" + "".join(f"i{n},m,j{n % 2},{n % 5}\n" for n in range(8)))
    found = lights(
        analyse(path, Choices(scale=(0, 10), columns={"unit": "item", "target_model": "model", "rater": "judge"}))
    )
    assert found["valid"] == found["complete"] == ("unknown", "–")


class Examined(msgspec.Struct):
    """As much of the evidence as qualification asks for."""

    outcomes: dict[str, str]
    unqualified: dict[str, str] | None = None
    raters: tuple[str, ...] = ("a", "b")

    @property
    def primary(self):
        return self

    @property
    def voir_dire(self):
        return [
            SimpleNamespace(content=SimpleNamespace(judge=each, outcome=how)) for each, how in self.outcomes.items()
        ]


@pytest.mark.parametrize(
    ("evidence", "state", "figure"),
    [
        (Examined({}), "unknown", "–"),
        (Examined({"a": "qualified", "b": "qualified", "c": "struck"}), "good", "2 / 2"),
        (Examined({"a": "qualified", "b": "struck"}), "poor", "1 / 2"),
        (Examined({"a": "qualified", "b": "undecided"}), "middling", "1 / 2"),
        (Examined({"a": "qualified"}), "middling", "1 / 2"),
        (Examined({"a": "qualified"}, {"c": "struck"}), "middling", "1"),
    ],
)
def test_judges_are_qualified_only_if_all_that_count_passed(evidence, state, figure):
    found = trust._qualified(evidence)
    assert (found.state, found.figure) == (state, figure)


class Checked(msgspec.Struct):
    """As much of the evidence as validity asks for."""

    invalid: int
    quotes_not_compared: int
    is_table: bool = False
    imported_from: tuple[str, ...] = ()
    judgement_count: int = 10
    holds_entries: bool = False

    @property
    def table(self):
        return self

    @property
    def primary(self):
        return SimpleNamespace(excluded={"invalid": self.invalid})


@pytest.mark.parametrize(
    ("evidence", "state", "figure"),
    [
        (Checked(6, 1), "poor", "4 / 10"),
        (Checked(0, 1), "unknown", "9 / 10"),
        (Checked(0, 0), "good", "10 / 10"),
    ],
)
def test_invalid_replies_are_not_hidden_by_quotes_that_were_not_compared(evidence, state, figure):
    found = trust._valid(evidence)
    assert (found.state, found.figure) == (state, figure)


def beside_people(*kappas, labelled=40):
    drafts = [
        ((f"judge{place}",), [number_cell(kappa, Rows(), "coefficient"), number_cell(labelled, Rows())])
        for place, kappa in enumerate(kappas)
    ]
    return make_table("people_verdicts", ("rater",), ("kappa", "labelled"), drafts)


@pytest.mark.parametrize(
    ("table", "state", "figure"),
    [
        (beside_people(0.9, 0.6), "good", "κ 0.60"),
        (beside_people(0.9, 0.4), "middling", "κ 0.40"),
        (beside_people(0.9, -0.1), "poor", "κ −0.10"),
        (beside_people(0.9, labelled=29), "middling", "κ 0.90"),
        (beside_people(0.9, None), "unknown", "40"),
    ],
)
def test_verdicts_beside_people_are_as_good_as_those_of_the_worst_judge(table, state, figure):
    found = trust._people_on_verdicts(table)
    assert (found.state, found.figure) == (state, figure)


def positions(*rows):
    """A table of positions: for each judge its flips, the upper end of their interval, and its pairs in both orders."""
    cells = []
    for place, (flips, high, both) in enumerate(rows):
        share = Estimate(value=flips, low=None if high is None else 0.0, high=high, method="share", reason="few")
        cells.append(((f"judge {place}",), [estimate_cell(share, Rows(), "share"), number_cell(both, Rows())]))
    return make_table("position", ("rater",), ("flips", "both_orders"), cells)


@pytest.mark.parametrize(
    ("table", "state", "figure", "says"),
    [
        (None, "unknown", "–", "one order only"),
        (positions((None, None, 0)), "unknown", "0", "one order only"),
        (positions((None, None, 3), (0.0, 0.1, 40)), "unknown", "3", "Too few pairs"),
        (positions((0.0, 0.04, 400), (0.07, 0.1, 400)), "good", "7 % (≤ 10 %)", "hardly changes"),
        (positions((0.0, 0.37, 96)), "middling", "0 % (≤ 37 %)", "up to 37 % might"),
        (positions((0.0, 0.04, 400), (0.0, 0.101, 96)), "middling", "0 % (≤ 10 %)", "up to 11 % might"),
        (positions((0.0, None, 96)), "middling", "0 % (≤ 100 %)", "up to 100 % might"),
        (positions((0.25, 0.4, 40)), "middling", "25 % (≤ 40 %)", "some winners"),
        (positions((0.26, 0.3, 40), (0.0, 0.1, 40)), "poor", "26 % (≤ 30 %)", "many winners"),
    ],
)
def test_winners_hang_on_the_order_as_far_as_those_of_the_worst_judge_do(table, state, figure, says):
    found = trust._order(table)
    assert (found.state, found.figure) == (state, figure)
    assert says in found.says


@pytest.mark.parametrize(("are_entries", "code"), [(True, "trust.invalid_entries"), (False, "trust.invalid")])
def test_files_of_a_bundle_are_not_called_replies(are_entries, code):
    assert trust._valid(Checked(6, 0, holds_entries=are_entries)).says.code == code
