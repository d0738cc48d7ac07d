"""`rank_pairs`: what judged pairs say about the order of models."""

import csv

import numpy as np
import pytest

from venire.errors import InputError
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger
from venire.protocols.catalogue import find_protocol
from venire.reports.report import Choices
from venire.workflows.analyse import analyse
from venire.workflows.rank import rank_pairs, ranking_record


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Three models, two judges, both orders; one judge loves the first place, and both love length."""
    random = np.random.default_rng(11)
    truth, path = {"alder": 0.8, "birch": 0.0, "cedar": -0.8}, tmp_path_factory.mktemp("pairs") / "pairs.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["question", "first", "second", "winner", "judge", "first_length", "second_length"])
        for question in range(60):
            lengths = {model: int(random.integers(50, 400)) for model in truth}
            for judge, lean in (("fair", 0.0), ("hasty", 1.5)):
                for one, two in ((a, b) for a in truth for b in truth if a != b):
                    odds = truth[one] - truth[two] + lean + 0.6 * np.log2(lengths[one] / lengths[two])
                    won = "first" if random.random() < 1 / (1 + np.exp(-odds)) else "second"
                    rows.writerow([f"q{question}", one, two, won, judge, lengths[one], lengths[two]])
    return path


def test_the_order_comes_with_all_that_it_rests_on(table):
    found = rank_pairs(table, {}, with_elo=True)
    assert [each.model for each in found.ranking.models] == ["alder", "birch", "cedar"]
    assert (found.ranking.clusters, found.judges, found.has_questions) == (60, ("fair", "hasty"), True)
    assert {each.judge: each.is_same for each in found.left_out} == {"fair": True, "hasty": True}
    assert found.elo.ratings.keys() == {"alder", "birch", "cedar"}
    assert found.deciding.leader == "alder"


def test_the_judge_that_loves_the_first_place_is_found(table):
    found = {first.judge: (first, flips) for first, flips in rank_pairs(table, {}).positions}
    assert found["hasty"][0].estimate.low > 0.1
    assert found["fair"][0].estimate.low < 0 < found["fair"][0].estimate.high
    assert found["hasty"][1].observations == 180


def test_what_length_is_worth_is_told(table):
    doubling = rank_pairs(table, {}).at_equal_length.doubling
    assert doubling.low < 0.6 < doubling.high
    assert doubling.low > 0


def test_a_judge_on_whom_the_order_hangs_is_named(tmp_path):
    path = tmp_path / "pairs.csv"
    lines = [f"q{n},a,b,{'first' if n % 10 < 6 else 'second'},one" for n in range(20)]
    lines += [f"q{n},a,b,{'first' if n % 10 < 3 else 'second'},two" for n in range(40)]
    path.write_text("question,first,second,winner,judge\n" + "\n".join(lines), encoding="utf-8")
    found = rank_pairs(path, {})
    assert [each.model for each in found.ranking.models] == ["b", "a"]
    assert {each.judge: (each.order, each.is_same) for each in found.left_out} == {
        "one": (("b", "a"), True),
        "two": (("a", "b"), False),
    }


def test_without_questions_nothing_is_clustered_and_no_place_is_measured(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("first,second,winner\na,b,first\nb,a,first\na,b,tie\n", encoding="utf-8")
    found = rank_pairs(path, {})
    assert (found.has_questions, found.positions, found.left_out, found.at_equal_length, found.elo) == (
        False, (), (), None, None,
    )  # fmt: skip


def test_a_record_holds_the_matrix_and_every_model(table):
    record = ranking_record(rank_pairs(table, {}))
    assert record["win_matrix"]["models"] == ("alder", "birch", "cedar")
    assert sum(map(sum, record["win_matrix"]["wins"])) == 720
    assert record["elo"] is None
    assert [each["judge"] for each in record["positions"]] == ["fair", "hasty"]


def test_a_ledger_of_scores_is_refused_with_the_way_to_go(tmp_path):
    path = tmp_path / "ledger.sqlite"
    ledger = open_ledger(str(path))
    protocol = find_protocol("drift-sample")
    ledger.append([Draft(Kind.PROTOCOL, protocol, protocol.digest)])
    ledger.close()
    with pytest.raises(InputError, match="compared two outputs") as caught:
        rank_pairs(path, {})
    assert "compare LEDGER --pairwise" in caught.value.hint


@pytest.mark.parametrize(("named", "pairs", "flips"), [("{q} {v}", 40, 0.5), ("{row}", 20, 1.0)])
def test_pairs_of_several_variants_are_looked_at_one_by_one(tmp_path, named, pairs, flips):
    """One variant's winner hangs on the order, the other's does not; names that no two rows share say nothing."""
    path = tmp_path / "variants.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["pair_id", "question_id", "first", "second", "winner", "judge"])
        for place in range(80):
            question, variant, swapped = place // 4, place // 2 % 2, place % 2
            first, second = ("birch", "alder") if swapped else ("alder", "birch")
            won = first if variant else "alder"
            rows.writerow([named.format(q=question, v=variant, row=place), f"q{question}", first, second, won, "oak"])
    ((_, found),) = rank_pairs(path, {}).positions
    assert (found.observations, found.estimate.value) == (pairs, flips)
    cells = {cell.id: cell for cell in analyse(path, Choices()).cells()}
    assert (cells["position.oak.both_orders"].value, cells["position.oak.flips"].value) == (pairs, flips)
