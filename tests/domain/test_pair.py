"""Two outputs that are compared."""

from valid_replies import PAIR
from venire.domain.pair import Winner, make_pair


def test_swapped_it_is_another_pair_with_the_same_name_in_either_order():
    first, second = PAIR.samples
    swapped = make_pair(second, first)
    assert swapped.digest != PAIR.digest
    assert swapped.name != PAIR.name
    assert swapped.either_order == PAIR.either_order


def test_it_stands_where_its_outputs_stand():
    assert (PAIR.question_id, PAIR.target_models) == ("q1", ("alder-7b", "birch-9b"))
    assert PAIR.place == {"question_id": "q1"}
    assert PAIR.find("q1-alder") is PAIR.samples[0]
    assert PAIR.pair is PAIR
    assert PAIR.samples[0].pair is None


def test_a_winner_counts_for_the_first():
    assert [winner.outcome for winner in Winner] == [1.0, 0.0, 0.5]
