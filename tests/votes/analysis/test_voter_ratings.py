import pytest

from making_votes import vote_frame, vote_row
from venire.errors import PoolingError
from venire.votes.analysis.voter_ratings import vote_matrix, voter_agreement


def test_votes_under_several_prompts_are_never_pooled():
    frame = vote_frame([vote_row(1, prompt="p"), vote_row(0, prompt="q")])
    with pytest.raises(PoolingError, match="'p', 'q'"):
        vote_matrix(frame)


def test_voters_who_agree_have_a_high_alpha():
    rows = [vote_row(float(item % 2), voter=name, item=str(item)) for name in "xyz" for item in range(10)]
    assert voter_agreement(vote_frame(rows), replicates=0).value == pytest.approx(1.0)


def test_agreement_of_people_leaves_judges_out():
    assert not voter_agreement(vote_frame([vote_row(1, kind="judge")])).known
