"""Tables of judged pairs."""

import pytest

from venire.errors import InputError, UsageError
from venire.workflows.comparison.judged_pairs import read_judged_pairs


def read(tmp_path, text, columns=None, name="pairs.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_judged_pairs(path, columns or {})


def test_winners_are_read_by_place_by_name_and_as_ties(tmp_path):
    found = read(tmp_path, "first,second,winner\na,b,first\na,b,B\nb,a,a\na,b,tie\nb,a,second\n")
    assert found.outcome.tolist() == [1.0, 0.0, 0.0, 0.5, 0.0]
    assert found.first == ["a", "a", "b", "a", "b"]
    assert found.undecided == 0


def test_columns_are_recognised_under_the_names_of_other_tools(tmp_path):
    found = read(tmp_path, "question_id,model_a,model_b,winner,judge_name,length_a,length_b\n7,x,y,model_b,j,10,20\n")
    assert (found.questions, found.judges, found.outcome.tolist()) == (["7"], ["j"], [0.0])
    assert (found.first_lengths.tolist(), found.second_lengths.tolist()) == ([10.0], [20.0])


@pytest.mark.parametrize("column", ["question_id", "prompt", "instruction"])
def test_the_question_is_recognised_by_its_usual_names(tmp_path, column):
    path = tmp_path / "asked.csv"
    path.write_text(f"model_a,model_b,winner,{column}\na,b,model_a,why?\n", "utf-8")
    assert read_judged_pairs(path, {}).questions == ["why?"]


def test_a_mapping_names_any_other_column(tmp_path):
    found = read(tmp_path, "one,two,best\nx,y,x\n", {"first": "one", "second": "two", "winner": "best"})
    assert found.outcome.tolist() == [1.0]


def test_rows_without_a_winner_are_counted_with_what_they_say(tmp_path):
    found = read(tmp_path, "first,second,winner\na,b,first\na,b,maybe\na,b,maybe\na,b,\na,a,first\n")
    assert (found.undecided, len(found.first)) == (4, 1)
    assert found.examples == ("'maybe' ×2", "'' ×1", "'first' ×1")


def test_pairs_of_one_judge_and_of_all_others_part_the_table(tmp_path):
    found = read(tmp_path, "first,second,winner,judge\na,b,first,x\na,b,second,y\nb,a,tie,x\n")
    assert found.of_judge("x").outcome.tolist() == [1.0, 0.5]
    assert found.of_judge("x").first == ["a", "b"]
    assert found.without_judge("x").outcome.tolist() == [0.0]
    assert found.without_judge("x").judges == ["y"]


def test_a_table_without_a_winner_says_which_columns_it_has(tmp_path):
    with pytest.raises(InputError, match="expected columns for winner, found 'first', 'second'"):
        read(tmp_path, "first,second\na,b\n")


def test_a_column_that_is_mapped_but_absent_is_named(tmp_path):
    with pytest.raises(InputError, match="best"):
        read(tmp_path, "first,second,winner\na,b,first\n", {"winner": "best"})


def test_an_unknown_field_lists_the_known_ones(tmp_path):
    with pytest.raises(UsageError, match=r"first, second, winner.*found 'loser'"):
        read(tmp_path, "first,second,winner\na,b,first\n", {"loser": "second"})


def test_a_length_that_is_no_length_is_named_with_its_row(tmp_path):
    with pytest.raises(InputError, match="above 0 in 'first_length', found 'long'") as caught:
        read(tmp_path, "first,second,winner,first_length,second_length\na,b,first,long,3\n")
    assert "pairs.csv" in str(caught.value.where)


def test_a_table_without_any_decided_pair_says_what_its_winners_say(tmp_path):
    with pytest.raises(InputError, match="'maybe' ×1"):
        read(tmp_path, "first,second,winner\na,b,maybe\n")
